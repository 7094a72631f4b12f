"""What the page needs of the program, as protocols and typed values.

The program implements these, the routes call them; imports only `engine`.
The API's document is made from these types. A `TypedDict` is that of `typing_extensions`: before
Python 3.12 that of `typing` lacks what pydantic needs.
"""
