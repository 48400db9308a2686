"""Findings as text, JSON and SARIF; the report at the end of a program."""
