#!/usr/bin/env python3
"""Plants each word of ci/words.txt, and one word in each kind of file, and checks that check_words.py rejects them."""
import pathlib
import subprocess
import sys
import tempfile

FOLDER = pathlib.Path(__file__).resolve().parent.parent
CHECKER = FOLDER / "check_words.py"

# A sentence for each line of the list, in its order, and sentences that are right.
WRONG = [
    "Somebody frees it.", "Images are someone else's word.", "Nobody reads it.", "Whoever asks gets it.",
    "It wakes who waits.", "The error is told to who asked.", "A listener is told of changes.",
    "Here is what tells of the launch.", "It reads behind a barrier.", "What comes behind is lost.",
    "'a' cannot stand beside 'b'.", "It can be had as bytes.", "A list is no mapping.", "It takes whatever comes.",
    "It waits for ever.", "The lock is thereby free.", "likewise", "It runs as ever.", "The driver is mended.",
    "A stub runs in the place of a driver.", "Only the first is looked at.", "The size is asked of the device.",
    "It refuses this sort of thing.", "That is not yet there.",
]
RIGHT = [
    "There is no module here.", "It is no longer valid.", "The key /home/somebody/x is missing.",
    "A thread behind the driver's lock waits.", "Values behave likewise in vectors.", "A loop without end recommended.",
    "A caller that asks is notified after the barrier.",
]
# Per file: its text, and the lines that are rejected.
FILES = {
    "a.c": ("/* One.\n * Nobody\n * reads. */\nint nobody; // nobody\nchar *a = \"is told\"\n    \" of it\";\n", [2, 4, 5]),
    "a.py": ('#!/usr/bin/env python3\n"""One.\n\nNobody.\n"""\nnobody = 1  # nobody\n', [4, 6]),
    "b.sh": ("#!/bin/bash\n# Nobody.\nnobody=1\n", [2]),
    "CMakeLists.txt": ("# One\n# nobody.\nset(nobody)\n", [2]),
    "a.yaml": ("summary: >-\n  One\n  nobody.\nnobody: 1\n# Nobody.\n", [3, 5]),
    "a.md": ("One is\nno two.\n\n`nobody`\n\n```\nnobody\n```\n\n> nobody\n\n| instead of | write |\n|---|---|\n| nobody | x |\n"
             "| x | nobody |\n\n| other | nobody |\n", [1, 15, 17]),
}


def run(files):
    """{file: lines that are rejected}, and what was printed."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["git", "init", "-q", folder], check=True)
        for name, text in files.items():
            (pathlib.Path(folder) / name).write_text(text, encoding="utf-8")
        result = subprocess.run([sys.executable, CHECKER, "--root", folder], capture_output=True, text=True)
    lines = {}
    for line in result.stderr.splitlines():
        name, number = line.split(":")[:2]
        lines.setdefault(name, []).append(int(number))
    if result.returncode != (1 if lines else 0):
        sys.exit(f"the exit status is {result.returncode}:\n{result.stderr}")
    return lines, result.stderr


def main():
    rules = [line for line in (FOLDER / "words.txt").read_text(encoding="utf-8").splitlines()
             if line and not line.startswith("#")]
    if len(rules) != len(WRONG):
        sys.exit(f"words.txt has {len(rules)} lines, this test a sentence for {len(WRONG)}: add one, in its order")
    for rule, sentence in zip(rules, WRONG):
        lines, printed = run({"a.c": f"/* {sentence} */\n"})
        if lines != {"a.c": [1]} or f"write {rule.split(chr(9))[1]} (" not in printed:
            sys.exit(f"'{sentence}' is not rejected by {rule}:\n{printed}")
    lines, printed = run({"a.c": "".join(f"/* {sentence} */\nint x;\n" for sentence in RIGHT)})
    if lines:
        sys.exit(f"rejected though right:\n{printed}")
    lines, printed = run({name: text for name, (text, _) in FILES.items()})
    if lines != {name: expected for name, (_, expected) in FILES.items()}:
        sys.exit(f"rejected are {lines}:\n{printed}")


if __name__ == "__main__":
    main()
