"""Operators that only move elements: join, split, repeat, pad, cast to another format."""
