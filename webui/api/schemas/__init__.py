"""The JSON of the API as pydantic models, from which the OpenAPI document is generated.

Takes nothing and gives models to `api`; imports `contracts`.
"""
