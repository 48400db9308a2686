"""Tools for tests of host code, with pytest or without.

`assertions` are short functions that assert on a status with its message, and on a finding; users import them from
`aclnn.testing`. `fixture` implements the pytest fixture `machine`; `acl_runtime.pytest_plugin` loads it when a test
uses the fixture. `escaped` checks whether the code under test swallowed an `UndefinedBehaviour`. `sweeps` runs a
program once for each call that may fail, and reports missing clean-up.

Design. The fixture gives each test a fresh machine. It fails a test that has findings, and shows the report of each
finding instead of a traceback through the emulator. It is never autouse, so a test without the fixture is not slower.
Everything except the fixture also works without pytest.

Rejected. A plugin that patches `pytest.raises` to find the expected findings of a test: instead, the test lists them
with `expect_finding` or `machine.allow`.
"""
