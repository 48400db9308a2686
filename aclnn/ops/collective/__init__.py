"""Operators that compute and communicate: products with a collective, experts on several ranks.

An operator meets the same operator of the other ranks of its group (`Planning.meets`): each rank gets the inputs of one
step of all ranks. The steps before the meeting compute what travels, and the steps behind it compute the results. So an
operator here is a plan like any other, in which one step has the argument `exchange`.

A sum over the ranks is computed in FLOAT in the order of the ranks, and rounded once. The addend of a rank is rounded
to the data type of the output. Arguments that choose the way of the communication (commMode, commTurn, commAlg) change
no result.
"""
