"""The clip that the demo plays, with the truth about it; a package so that it is installed."""
