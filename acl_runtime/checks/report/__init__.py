"""Findings as text, JSON and SARIF; what the end of a program prints."""
