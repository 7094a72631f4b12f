"""The HTML pages.

Takes requests and gives rendered templates; imports `contracts`, `views`, `http` and `api`.
"""
