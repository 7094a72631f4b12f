"""Post-processing of trained nets: quantizing.

Takes ONNX files and gives ONNX files; imports `train` and `nets`.
"""
