"""The compiled evaluator."""
