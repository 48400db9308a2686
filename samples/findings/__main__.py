"""`python -m samples.findings ws-freed-early` shows the report of a wrong program, and that of the right one."""

import sys
from importlib import import_module

from acl_runtime import Machine, UndefinedBehaviour


def main(arguments):
    for id in arguments:
        program = import_module(f"samples.findings.{id.replace('-', '_')}")
        for function in (program.wrong, program.right):
            print(f"== {id}: {function.__name__}")
            with Machine(device_count=2, on_undefined="report") as machine:
                try:
                    function()
                except UndefinedBehaviour as behaviour:  # in a thread whose machine is closed
                    print(behaviour)
            print(machine.findings.report())
    return 0 if arguments else "which finding? `aclnn docs findings` lists them"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
