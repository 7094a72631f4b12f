"""What is done to a trained net before it ships: quantised, blended, lengthened.

Takes ONNX files and gives ONNX files; imports `train` and `nets`.
"""
