#!/usr/bin/env python3
"""Fails when a folder with code has no README.md, or one that does not name its files.

usage: check_readmes.py ROOT

A folder with code contains C or C++ files and is not a test or fuzz folder.  Its README.md has at most 40 lines and
names at least one of these files, since it says which to read first.
"""
import pathlib
import re
import subprocess
import sys

CODE = (".c", ".h", ".cpp", ".inc", ".def")
LEFT_OUT = re.compile(r"^(?:scenarios|docs|ci|cmake)/|/(?:test|fuzz)/")
LINES_MAX = 40


def folders_of(root):
    """{folder: names of its code files}."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True).stdout.decode("utf-8").split("\0")
    folders = {}
    for name in filter(None, listed):
        path = pathlib.PurePosixPath(name)
        if path.suffix in CODE and not LEFT_OUT.search(name) and (root / name).is_file():
            folders.setdefault(path.parent.as_posix(), []).append(path.name)
    return folders


def problem_of(page, files):
    if not page.is_file():
        return "is missing: purpose, files in reading order, what to touch to add something"
    text = page.read_text(encoding="utf-8")
    if text.count("\n") > LINES_MAX:
        return f"is longer than {LINES_MAX} lines; details belong to docs/internals"
    if not any(re.search(rf"\b{re.escape(pathlib.PurePosixPath(name).stem)}\b", text) for name in files):
        return "names no file of its folder"
    return None


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    found = 0
    for folder, files in sorted(folders_of(root).items()):
        problem = problem_of(root / folder / "README.md", files)
        if problem:
            found += 1
            print(f"{folder}/README.md: error: {problem}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
