"""The JSON API.

Takes requests and gives what `schemas` describe; imports `contracts`, `views`, `http` and
`streaming`.
"""
