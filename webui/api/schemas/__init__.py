"""The JSON of the API as pydantic models; the OpenAPI document is made from them.

Takes nothing and gives models to `api`; imports `contracts`.
"""
