"""Live state and pictures as server-sent events and MJPEG, with the stream's delay.

Takes states and pictures and gives endless responses; imports `contracts`, `views` and `i18n`.
"""
