"""How the nets were made: scenes, samples, training, export. Never imported at run time.

Takes seeds and gives ONNX files; imports `engine`, `calibration` and the rest of `vision`.
"""
