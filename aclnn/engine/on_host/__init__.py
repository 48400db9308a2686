"""Functions without a second phase, such as aclnnCalculateMatmulWeightSize. They only compute numbers on the host.

base               aclnnInit and aclnnFinalize
function           makes such a function from the facts of the catalogue, relations and a body
largest_workspace  the first phase of an operator, for the largest lengths
words              relations for these functions: pointers that are not null
"""
