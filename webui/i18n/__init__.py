"""The languages of the page.

Takes a request and English messages and gives text in the reader's language; imports nothing else
from `webui`.
"""
