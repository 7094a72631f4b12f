"""What applies to every request: roles and log-in, host and origin checks, errors, compression.

Each part installs itself on a Flask application; imports `i18n` and `contracts`.
"""
