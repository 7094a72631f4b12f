"""Pictures of scenes: a ray caster, Blender, and what a camera does to a picture.

Takes a scene and gives pixels with their exact truth; imports only `calibration`.
"""
