#!/usr/bin/env python3
"""Plants folders whose page is missing, is too long or names no file, and checks that each is reported."""
import pathlib
import subprocess
import sys
import tempfile

CHECKER = pathlib.Path(__file__).resolve().parent.parent / "check_readmes.py"
RIGHT = {"sim/a.c": "", "sim/README.md": "# sim\n\nBegin with a.c.\n"}
# The additional files, and the folder that is reported; None: no folder.
CASES = {
    "nothing": ({}, None),
    "a folder without a page": ({"sim/exec/b.h": ""}, "sim/exec"),
    "a test's folder": ({"sim/test/b.c": "", "sim/fuzz/c.c": ""}, None),
    "a folder without code": ({"sim/data/b.txt": ""}, None),
    "a page that is too long": ({"sim/README.md": "a.c\n" * 41}, "sim"),
    "a page that names no file": ({"sim/README.md": "# sim\n"}, "sim"),
}


def main():
    for what, (files, expected) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["git", "init", "-q", folder], check=True)
            for name, text in {**RIGHT, **files}.items():
                path = pathlib.Path(folder) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, CHECKER, folder], capture_output=True, text=True)
        reported = [line.split("/README.md:")[0] for line in done.stderr.splitlines()]
        if reported != ([expected] if expected else []) or done.returncode != (1 if expected else 0):
            sys.exit(f"{what}: status {done.returncode}, reported {reported}")


if __name__ == "__main__":
    main()
