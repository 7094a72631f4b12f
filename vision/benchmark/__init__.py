"""How well labeled stills are read; `tableside bench --stills FOLDER` shows it.

`truth` loads their labels, `runs` reads them, `score` compares, `figures` summarizes and `report`
writes.
"""
