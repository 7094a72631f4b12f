"""What is drawn and said of a state, before any template.

Takes the values of `contracts` and gives what templates and scripts show; imports `i18n` and
`contracts`.
"""
