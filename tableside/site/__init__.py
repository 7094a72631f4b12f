"""The state that the page shows, and the server that serves it.

Takes match states and gives them to `webui`; imports `review`.
"""
