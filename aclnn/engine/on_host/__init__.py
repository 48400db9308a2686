"""Functions without a second phase, such as aclnnCalculateMatmulWeightSize. They only compute numbers on the host.

base      aclnnInit and aclnnFinalize
function  makes such a function from the facts of the catalogue, relations and a body
words     relations for these functions: pointers that are not null
"""
