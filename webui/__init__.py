"""The page: what the players, the referee and a viewer see. Knows `engine` and a Protocol."""
