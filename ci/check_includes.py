#!/usr/bin/env python3
"""Fails if a file includes a header from a folder that the include table does not allow for it.

usage: check_includes.py ROOT [TABLE]

Also fails when the table itself has a cycle, when LLVM headers are used outside the folders of the two libraries
that link LLVM, and when a folder's internal header (NAME_internal.h) is included from another folder.
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^\s*#\s*include\s+(["<])([^">]+)[">]', re.MULTILINE)
CODE = {".c", ".h", ".cpp", ".inc", ".def"}
TEST = re.compile(r"/(test|fuzz)/")
USE_LLVM = ("reference/compiler", "sim/compiled")
LLVM = re.compile(r"^(llvm-c|llvm|clang|clang-c|LLVMSPIRVLib)/")


def read_table(path):
    """Returns {folder: allowed folders}, {folder: what its tests may also include} and {header: the
    only folders that may include it}."""
    folders, tests, restricted = {}, {}, {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        line = line.split("#")[0].strip()
        if not line:
            continue
        if ":" not in line:
            sys.exit(f"{path}:{number}: expected 'FOLDER: FOLDER …'")
        name, allowed = line.split(":", 1)
        if name.startswith("only "):
            restricted[name[5:].strip()] = set(allowed.split())
        elif name.startswith("test "):
            tests[name[5:].strip()] = set(allowed.split())
        else:
            folders[name.strip()] = set(allowed.split())
    return folders, tests, restricted


def folder_of(path, folders):
    """The deepest folder of the table that contains the path, or None."""
    parts = path.split("/")
    for length in range(len(parts) - 1, 0, -1):
        name = "/".join(parts[:length])
        if name in folders:
            return name
    return None


def is_inside(folder, outer):
    """Reports whether a folder is `outer` or below it."""
    return folder == outer or folder.startswith(outer + "/")


def cycle_of(folders):
    """A cycle of folders, in the order of the table's arrows, or None."""
    finished = set()

    def visit(folder, path):
        if folder in path:
            return path[path.index(folder):] + [folder]
        if folder in finished:
            return None
        for other in sorted(folders.get(folder, ())):
            found = visit(other, path + [folder])
            if found:
                return found
        finished.add(folder)
        return None

    return next(filter(None, (visit(folder, []) for folder in folders)), None)


def problems_of(root, folders, tests, restricted):
    for file in sorted(p for p in root.rglob("*") if p.suffix in CODE):
        name = file.relative_to(root).as_posix()
        if name.startswith(("build/", ".")) :
            continue
        own = folder_of(name, folders)
        if own is None:
            yield name, 1, "the folder is not in the include table"
            continue
        permitted = folders[own] | {own}
        if TEST.search(name):
            permitted |= tests.get(own, set())
        text = file.read_text(encoding="utf-8", errors="replace")
        for match in INCLUDE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            header = match.group(2)
            if LLVM.match(header) and not any(is_inside(own, f) for f in USE_LLVM):
                yield name, line, f"{header}: only {' and '.join(USE_LLVM)} use LLVM"
            if match.group(1) == "<" or "/" not in header:
                continue
            other = folder_of(header, folders)
            if other is None:
                yield name, line, f"{header}: its folder is not in the include table"
            elif header in restricted:
                if not any(is_inside(own, f) for f in restricted[header]):
                    yield name, line, f"{header}: only {', '.join(sorted(restricted[header]))} may include it"
            elif other not in permitted:
                yield name, line, f"{header}: {own} may not include {other}"
            elif header.endswith("_internal.h") and pathlib.PurePosixPath(header).parent.as_posix() not in name:
                yield name, line, f"{header}: internal to its folder"


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    table = pathlib.Path(sys.argv[2]) if len(sys.argv) > 2 else root / "ci/include_table.txt"
    folders, tests, restricted = read_table(table)
    cycle = cycle_of(folders)
    if cycle:
        sys.exit(f"{table}: error: the table has a cycle: {' -> '.join(cycle)}")
    found = list(problems_of(root, folders, tests, restricted))
    for name, line, text in found:
        print(f"{name}:{line}: error: {text}", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
