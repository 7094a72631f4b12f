"""What the page needs of the program, as protocols and typed values.

The program implements these, the routes call them; imports only `engine`.
"""
