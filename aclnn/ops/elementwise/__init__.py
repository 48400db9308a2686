"""Operators whose elements each follow from those at the same place, broadcast."""
