"""Uses of the same bytes that nothing orders, by vector clocks: the same under every schedule."""
