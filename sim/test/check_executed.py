#!/usr/bin/env python3
"""Checks that every instruction that the simulator executes is executed by some unit test.

usage: check_executed.py SEMANTICS OPENCL_STD RECORD...

SEMANTICS and OPENCL_STD are semantics.def and opencl_std.def.  A RECORD is what a test of sim wrote when it ran with
ASSAY_EXECUTED (executed.h); one that launches nothing writes none.  Fails if some instruction marked EXEC is in no
launched kernel, and names each such instruction.
"""
import pathlib
import re
import sys


def main():
    semantics, extended, *records = sys.argv[1:]
    core = re.findall(r"^SIM_OP\((\w+),\s*EXEC,", pathlib.Path(semantics).read_text(), re.M)
    sets = re.findall(r"^SIM_EXT\((\w+),", pathlib.Path(extended).read_text(), re.M)
    wanted = [name for name in core if name != "OpExtInst"] + sets
    executed = set()
    for record in map(pathlib.Path, records):
        if record.exists():
            executed.update(record.read_text().split())
    missing = [name for name in wanted if name not in executed]
    for name in missing:
        print(f"no unit test executes {name}")
    print(f"{len(wanted) - len(missing)} of {len(wanted)} instructions are executed by unit tests")
    return 1 if missing or not wanted else 0


if __name__ == "__main__":
    sys.exit(main())
