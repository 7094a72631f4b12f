"""A hall of tables: tables publish over MQTT; the hall keeps and shows all they played.

Takes a record, the page's state and the messages of tables, and gives messages, a store, results
and webhooks. Its dependencies are the extra `hall`, so the rest of the program imports nothing of
it unless the option was given.
"""
