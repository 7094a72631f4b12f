"""Post-processing of trained nets: quantizing, blending, lengthening.

Takes ONNX files and gives ONNX files; imports `train` and `nets`.
"""
