"""Devices beyond their life: numbers, features, groups, repair. Each chapter has a module."""
