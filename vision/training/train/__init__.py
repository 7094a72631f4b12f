"""The training of each net.

Takes samples and gives weights as ONNX files; imports `nets`, `samples`, `scenes` and `render`.
"""
