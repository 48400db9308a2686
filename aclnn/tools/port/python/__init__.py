"""The port in Python: values, arithmetic, formats, layout, helpers."""
