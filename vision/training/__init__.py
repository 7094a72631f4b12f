"""How the nets were made: scenes, training, figures. Never imported at run time."""
