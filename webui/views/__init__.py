"""What is shown of a state, before any template.

Takes the values of `contracts` and gives what templates and scripts show; imports `i18n` and
`contracts`.
"""
