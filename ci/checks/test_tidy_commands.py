#!/usr/bin/env python3
"""Compiles small sources in several ways and checks which of the commands ci/tidy_commands.py keeps."""
import json
import pathlib
import subprocess
import sys
import tempfile

CHOOSER = pathlib.Path(__file__).resolve().parent.parent / "tidy_commands.py"
SOURCES = {
    "plain.c": "int plain(int x) { return x; }\n",
    "choice.c": "#ifdef CHECKED\nint checked;\n#endif\nint choice;\n",
    "engine.c": "#define NAME_2(e) run_##e\n#define NAME_1(e) NAME_2(e)\nint NAME_1(SIM_ENGINE);\n",
    "both.c": "#define NAME_2(e) run_##e\n#define NAME_1(e) NAME_2(e)\n#if CHECKED\nint checked;\n#endif\nint NAME_1(SIM_ENGINE);\n",
    "other.cpp": "int other;\n",
}
# Source, options of its commands, and which of them are kept.
CASES = [
    ("plain.c", ["-DA", "-DB -O2", "-march=native"], [0]),
    ("choice.c", ["-DA", "-DCHECKED", "-DB"], [0, 1]),
    ("engine.c", ["-DSIM_ENGINE=base", "-DSIM_ENGINE=v3", "-DSIM_ENGINE=v4"], [0]),
    ("both.c", ["-DSIM_ENGINE=base -DCHECKED=1", "-DSIM_ENGINE=v3 -DCHECKED=1", "-DSIM_ENGINE=v3 -DCHECKED=0"], [0, 2]),
    ("other.cpp", ["-DA", "-DB"], []),  # ci/tidy analyses C only
]


def main():
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        entries, expected = [], []
        for name, text in SOURCES.items():
            (root / name).write_text(text)
        for name, commands, kept in CASES:
            new = [
                {"directory": folder, "file": str(root / name), "command": f"cc {options} -o {name}.o -c {root / name}"}
                for options in commands
            ]
            entries += new
            expected += [new[i]["command"] for i in kept]
        (root / "compile_commands.json").write_text(json.dumps(entries))
        subprocess.run([sys.executable, CHOOSER, root, root / "tidy"], check=True)
        got = [entry["command"] for entry in json.loads((root / "tidy/compile_commands.json").read_text())]
    if sorted(got) != sorted(expected):
        sys.exit(f"ci/tidy_commands.py keeps {sorted(got)}; expected {sorted(expected)}")


main()
