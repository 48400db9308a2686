"""Losses, which compare the result of a network with a target.

`reduction` is 0 for the loss of each element, 1 for the mean and 2 for the sum; a few functions have further values, or
a text. The mean of an empty set is NaN, the sum is 0. Labels are read when the task runs: a label that is neither a
class nor the ignored index is the finding `index-range`.
"""
