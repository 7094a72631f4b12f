"""The page that players, the referee and viewers see; imports only `engine`."""
