"""The oracle: what an operator made from facts computes, by another route than its formula.

    python -m tests.oracle [NAME ...] [--write]

A route is torch on the CPU, a loop over Python numbers, numpy in float64 by another algorithm, or an identity. Random
calls go through both phases, and their results are compared with those of the route, within the bound of `compare`.
Where torch has the function, torch is the first route, and the second one runs without torch too. Then the calls meet
mutations: the first element of each step is changed, and wrong formulas that a careless author would write take the
place of the operator. The oracle has to notice each.

`--write` writes the rows of these functions to `aclnn/catalogue/evidence.json`, from which the level of a function
follows. A row names every way of its route, so a route with torch needs torch for it: `pip install -e '.[bench]'`.

    route     what a route is, and short ways to write one
    cases     random calls: shapes, layouts, data types, values
    extremes  NaN, infinity, huge and tiny numbers
    compare   errors against the bound
    evidence  runs a route, without and with mutations
    routes    gathers the routes of all families, which are beside their tests: `tests/aclnn/ops/<family>/routes*.py`
"""
