#!/usr/bin/env python3
"""Writes the compilations that clang-tidy analyses: each text of a source once.

    ci/tidy_commands.py BUILD OUT    reads BUILD/compile_commands.json, writes OUT/compile_commands.json

clang-tidy analyses a source for every command that compiles it, and several sources are compiled for more than one
program, or for three processors.  Of the commands of a source whose preprocessed texts are equal, the first is kept.
The engines of the simulated device differ in the ends of their names, which this comparison ignores.
"""
import collections
import json
import pathlib
import re
import shlex
import subprocess
import sys

ENGINE = re.compile(r"^-D(SIM_ENGINE|SIM_ENGINE_OF)=.*")


def text_of(entry):
    """What the compiler reads, with the same end for the names of all engines."""
    arguments = [ENGINE.sub(r"-D\1=engine", word) for word in shlex.split(entry["command"])]
    arguments[arguments.index("-o") : arguments.index("-o") + 2] = []
    arguments[arguments.index("-c")] = "-E"
    run = subprocess.run([*arguments, "-P"], cwd=entry["directory"], capture_output=True, check=True)
    return run.stdout


def kept(entries):
    """The commands of one source that are analysed."""
    if len(entries) == 1:
        return entries
    return list({text_of(entry): entry for entry in reversed(entries)}.values())


def main(build, out):
    sources = collections.defaultdict(list)
    for entry in json.loads((pathlib.Path(build) / "compile_commands.json").read_text()):
        if entry["file"].endswith(".c"):
            sources[entry["file"]].append(entry)
    pathlib.Path(out).mkdir(parents=True, exist_ok=True)
    commands = [entry for entries in sources.values() for entry in kept(entries)]
    (pathlib.Path(out) / "compile_commands.json").write_text(json.dumps(commands, indent=1) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
