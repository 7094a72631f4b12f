"""What is wrong with this installation, this machine and its devices, each with its mend.

Takes the places where the program keeps things; gives findings. Imports `bench`, `record`, `review`
and `site`.
"""
