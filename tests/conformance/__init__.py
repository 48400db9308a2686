"""The calls of the conformance kit: `python -m tests.conformance conformance.pyz` packs them.

    operators.py   each operator: a good call, each needed object null, each check broken, two checks broken at once
    runtime.py     each function of the runtime: its parameters by their C types, and each one null or out of range

All follow from the declarations. A function with a declaration has calls in the next kit. Calls that the emulator
answers with a finding are left out, as a device may do anything there.
"""
