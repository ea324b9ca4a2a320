#!/usr/bin/env python3
"""Checks that docs_run accepts correct pages and refuses each kind of mistake."""
import pathlib
import subprocess
import sys
import tempfile

DOCS_RUN = pathlib.Path(__file__).with_name("docs_run")

# The page's text, and part of docs_run's message if it refuses the page.
PAGES = [
    ("```console\n$ echo one; echo two; echo three\none\n…\nthree\n```\n", None),
    ("```console\n$ echo number 17 of 20\nnumber … of 20\n```\n", None),
    ("```console\n$ false # exit status 1\n```\n", None),
    ("This goes into `a.txt`:\n\n```c\nint a;\n```\n\n```console\n$ cat a.txt\nint a;\n```\n", None),
    ("```sh\nci/test # all of them\n```\n\n```console\n$ true\n```\n", None),
    ("```console\n$ echo two\none\n```\n", "printed otherwise"),
    ("```console\n$ echo one; echo two\none\n```\n", "printed otherwise"),
    ("```console\n$ echo number 17 of 21\nnumber … of 20\n```\n", "printed otherwise"),
    ("```console\n$ false\n```\n", "ended with 1, not 0"),
    ("```console\n$ true # exit status 2\n```\n", "ended with 0, not 2"),
    ("```console\nassay run\n```\n", "begins with a command"),
    ("```sh\nassay run\n```\n\n```console\n$ true\n```\n", "no test runs this"),
    ("```sh\nci/none\n```\n\n```console\n$ true\n```\n", "no test runs this"),
    ("```\n$ assay run\n```\n\n```console\n$ true\n```\n", "no test runs this"),
    ("[here](page.md)\n\n```console\n$ true\n```\n", None),
    ("[there](none.md)\n\n```console\n$ true\n```\n", "does not exist: none.md"),
    ("# A heading: `x`\n\n[here](#a-heading-x)\n\n```console\n$ true\n```\n", None),
    ("[here](#none)\n\n```console\n$ true\n```\n", "heading that does not exist: #none"),
    ("`ci/test`, `sim/sim.h`, `ci/{test,tidy}`, `ci/fuz*`, `scenarios/expectations/SUBJECT.yaml`, `check.h`\n\n"
     "```console\n$ true\n```\n", None),
    ("`ci/none`\n\n```console\n$ true\n```\n", "path that does not exist: ci/none"),
    ("`ci/{test,none}`\n\n```console\n$ true\n```\n", "path that does not exist: ci/none"),
    ("`sim/none_*.c`\n\n```console\n$ true\n```\n", "path that does not exist: sim/none_*.c"),
    ("`no_such_file.c`\n\n```console\n$ true\n```\n", "no file of the tree has this name"),
    ("Words alone.\n", "no commands"),
]


def main():
    root = DOCS_RUN.parent.parent.parent
    failures = 0
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.md"
        for text, refusal in PAGES:
            page.write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, DOCS_RUN, "assay", root, page], text=True, capture_output=True)
            fits = refusal in done.stderr and done.returncode != 0 if refusal else done.returncode == 0
            if not fits:
                failures += 1
                print(f"expected {refusal or 'success'}, got status {done.returncode}: {done.stderr}\nof:\n{text}")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
