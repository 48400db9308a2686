"""Mutations of the sources: one-line mistakes, each of which some test of its room has to notice.

`python -m tests.mutations` runs them. A mutation that no test notices is a rule without a test: write one, in the
folder of the room, that fails under the mutation and states the rule. A mutation that changes nothing a program can see
is no entry here; the line that it changed can probably go.

    mutation             what a mutation is, and whether it applies to the sources of now
    lists                the mutations, a module for each group of rooms
    listed               all of them, and shares of them
    trees                copies of the project, in which mutations are made
    run                  runs the tests of one mutation, and judges the result
    first_failure        a plugin of pytest for these runs
"""
