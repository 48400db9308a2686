"""For tests of host code, with pytest or without.

`assertions` are short ways to assert on a status with its message and on a finding; `aclnn.testing` offers them to
users. `fixture` is what the pytest fixture `machine` does; `acl_runtime.pytest_plugin` loads it when a test asks for
it. `escaped` decides whether an `UndefinedBehaviour` was swallowed by the code under test. `sweeps` runs a program
once for each call that may fail and looks at what its clean-up forgets.

Design. The fixture gives each test a fresh machine and fails a test for what was found, with the finding's own report
in place of a traceback of ours. It is never autouse: a test without the fixture pays nothing. Everything works
without pytest too; the plugin is a thin layer.

Rejected. A plugin that patches `pytest.raises` to see which findings a test expected: the test names them instead,
with `expect_finding` or `machine.allow`.
"""
