"""Operators on boxes in images: alignment and pooling of regions, overlaps, suppression; also blending of images, and
triangles of a mesh."""
