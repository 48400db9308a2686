"""Tools for tests of host code, with pytest or without.

`assertions` are short functions that assert on a status with its message, and on a finding; users import them from
`aclnn.testing`. `fixture` implements the pytest fixture `machine`; `acl_runtime.pytest_plugin` loads it when a test
uses the fixture. `escaped` decides whether the code under test swallowed an `UndefinedBehaviour`. `sweeps` runs a
program once for each call that may fail, and reports missing clean-up.

Design. The fixture gives each test a fresh machine. It fails a test that has findings, and shows the report of each
finding instead of a traceback through the emulator. It is never autouse: a test without the fixture pays nothing.
Everything works without pytest too; the plugin is a thin layer.

Rejected. A plugin that patches `pytest.raises` to see which findings a test expected: the test names them instead,
with `expect_finding` or `machine.allow`.
"""
