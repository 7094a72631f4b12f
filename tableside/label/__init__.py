"""Labeling photos: a reading is put right on a page and written to a manifest.

Takes photos and what a person says of them, and gives labels that `vision.benchmark` reads.
"""
