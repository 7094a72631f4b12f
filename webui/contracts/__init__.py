"""What the page needs from the program, as protocols and typed values.

The program implements these and the routes call them; imports only `engine`. The API's document is
generated from these types. `TypedDict` comes from `typing_extensions`, because before Python 3.12
the one in `typing` lacks what pydantic needs.
"""
