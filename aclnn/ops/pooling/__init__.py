"""Average and maximum pooling, and the gradients.

An array with one number applies to all dimensions, and an empty stride equals the kernel size. With ceilMode the last
window may extend beyond the end. NaN is the largest element, and of equal elements the first one counts. Averages
accumulate in 64 bits. The last dimensions are the image, or the dimensions before the channels in a channels-last
format.
"""
