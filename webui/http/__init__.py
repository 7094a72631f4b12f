"""What every request passes: roles and log-in, host and origin checks, errors, compression.

Takes a Flask application and installs itself on it; imports `i18n` and `contracts`.
"""
