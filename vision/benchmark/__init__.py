"""How well labelled stills are read; `tableside bench --stills FOLDER` shows it.

`truth` tells what they show, `runs` reads them, `score` compares, `figures` sums up and `report`
writes.
"""
