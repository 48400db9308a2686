"""Matrix products of groups of rows, with a separate matrix for each group, as in mixtures of experts; and FFN, which
consists of two such products.

An array, or a tensor that is read when the task runs, lists the groups: the end of each group, its number of rows, or
pairs of a group and its number of rows. A group beyond the rows is the finding `index-range`. Rows after the last group
are not written. The products are those of `matmul`: of floats, of INT8 with scales, or with a quantised weight.
"""
