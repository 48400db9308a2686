"""Average and maximum pooling, and their gradients.

An array with one number applies to all dimensions, and an empty stride equals the kernel size. With ceilMode the last
window may extend beyond the end. NaN is the largest element, and of equal elements the first is the maximum. Averages
accumulate in 64 bits. The image is in the last dimensions; in a channels-last format the channels follow it.
"""
