#!/usr/bin/env python3
"""Plants wrong includes in a scratch tree and checks that check_includes.py finds each of them."""
import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).resolve().parent.parent / "check_includes.py"
TABLE = """
reference/base:
reference/compiler:
reference/compiler/fuse: reference/compiler
reference/compilers:
sim: reference/base
conformance: reference/base sim
test sim: conformance
only sim/hidden.h: conformance
"""


def run(files, table=TABLE):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "table").write_text(table)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        result = subprocess.run([sys.executable, CHECKER, root, root / "table"], capture_output=True, text=True)
        return result.returncode, result.stderr


def main():
    wrong = {
        "an arrow that the table lacks": {"reference/base/a.c": '#include "sim/sim.h"\n'},
        "an upward arrow": {"sim/a.c": '#include <stdio.h>\n\n#include "conformance/run/run.h"\n'},
        "LLVM outside the plugin": {"sim/a.c": "#include <llvm-c/Core.h>\n"},
        "LLVM in a folder whose name only begins like the plugin's": {"reference/compilers/a.c": "#include <llvm-c/Core.h>\n"},
        "an internal header": {"conformance/a.c": '#include "sim/sim_internal.h"\n'},
        "a folder without a row": {"tools/a.c": "int x;\n"},
        "what only a test may include": {"sim/a.c": '#include "conformance/run/run.h"\n'},
        "a header kept for one folder": {"sim/other/a.c": "int x;\n", "reference/base/a.c": '#include "sim/hidden.h"\n'},
    }
    for what, files in wrong.items():
        status, _ = run(files)
        if status != 1:
            sys.exit(f"not found: {what}")
    cyclic = TABLE.replace("reference/base:", "reference/base: conformance")
    status, errors = run({}, cyclic)
    if status != 1 or "reference/base -> conformance -> reference/base" not in errors:
        sys.exit(f"the table's own cycle is not found:\n{errors}")
    status, errors = run({"sim/test/a.c": '#include "conformance/run/run.h"\n',
                          "sim/a.c": '#include "reference/base/check.h"\n#include "sim/sim.h"\n',
                          "reference/compiler/a.c": "#include <llvm-c/Core.h>\n",
                          "reference/compiler/fuse/a.c": "#include <llvm-c/Core.h>\n",
                          "conformance/run/a.c": '#include "sim/sim.h"\n#include "rule_ids.h"\n'})
    if status != 0:
        sys.exit(f"found where nothing is wrong:\n{errors}")


if __name__ == "__main__":
    main()
