"""The referee's commands.

Takes commands from other threads and gives events to the running match; imports `record`, `match`,
`cup`, `review` and `site`.
"""
