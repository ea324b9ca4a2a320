#!/usr/bin/env python3
"""Checks that ci/plant compiles the faults of rule marks in: each can be planted and is a row of the table, reviewed
mutants are left out or named, a mark without faults is refused, and mutants with the original's code are found.

Exits with 77 if clang's Python module is not installed.
"""
import contextlib
import importlib.machinery
import importlib.util
import io
import os
import pathlib
import subprocess
import sys
import tempfile

CI = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(CI))
with contextlib.redirect_stderr(io.StringIO()):
    try:
        import mutate_syntax  # noqa: F401
    except SystemExit:
        sys.exit(77)

FAULT_H = """\
#pragma once
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
enum { RT_RULE_A_01, RT_RULE_A_02 };
#define RULE(id, ...) ((void)RT_RULE_##id, (__VA_ARGS__))
#define RT_FAULT_ROWS __attribute__((section("assay_faults"), used, aligned(1)))
typedef struct rt_fault { int rule; const char *file; int line, number, state; } rt_fault;
static inline bool rt_fault_planted(const rt_fault *fault)
{
    char text[64];
    snprintf(text, sizeof text, "%d@%s:%d.%d", fault->rule, fault->file, fault->line, fault->number);
    const char *planted = getenv("FAULT");
    return planted && strcmp(planted, text) == 0;
}
"""

SOURCE = """\
#include "reference/base/fault.h"
static int chosen(int a, int b)
{
    return RULE(A_01, a < b) ? a : b;
}
int main(int count, char **texts)
{
    (void)texts;
    int sum = chosen(count, 5) + RULE(A_02, count * 100);
    if (RULE(A_01, sum > 0 && count > 0)) printf("%d\\n", sum);
    return 0;
}
"""

ENTRY = """\
- {file: f.c, function: chosen, operator: relational, original: a < b, mutated: a <= b, class: CLASS, CLASS_KEYS}
"""
KEYS = {"equivalent": "reason: both are the same then", "open": "scenario: s, date: 2026-01-31"}


def plant_of(root):
    loader = importlib.machinery.SourceFileLoader("plant", str(CI / "plant"))
    plant = importlib.util.module_from_spec(importlib.util.spec_from_loader("plant", loader))
    loader.exec_module(plant)
    plant.ROOT = root
    return plant


class Tree:
    """A tree with one source and what ci/plant needs of the real one."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder).resolve()
        for name in ("reference/base", "ci"):
            (self.root / name).mkdir(parents=True)
        (self.root / "reference/base/fault.h").write_text(FAULT_H)
        (self.root / "ci/mutant.h").write_bytes((CI / "mutant.h").read_bytes())
        self.plant = plant_of(self.root)

    def command(self, text, entries="[]"):
        (self.root / "f.c").write_text(text)
        (self.root / "ci/mutants.yaml").write_text(entries)
        return self.plant.Command(["cc", "-DASSAY_PROVE", f"-I{self.root}", "-std=c17", "-MD", "-MF", str(self.root / "f.d"),
                                   "-o", str(self.root / "f.o"), "-c", str(self.root / "f.c")])

    def rows(self):
        table = self.root / "table"
        subprocess.run(["objcopy", "--dump-section", f"assay_faults={table}", self.root / "f.o", "/dev/null"], check=True)
        return [line.split("\t") for line in table.read_text().replace("\0", "").splitlines()]

    def printed(self, fault):
        subprocess.run(["cc", "-o", self.root / "f", self.root / "f.o"], check=True)
        return subprocess.run([self.root / "f"], capture_output=True, text=True, env={"FAULT": fault}).stdout.strip()


def test_faults(tree):
    command = tree.command(SOURCE)
    if not command.is_marked() or tree.plant.compile_marked(command) != 0:
        sys.exit("the source is not compiled")
    rows = tree.rows()
    found = {row[0]: row[1:] for row in rows}
    if found.get("A_01@f.c:4.1") != ["relational", "a < b", "a <= b", ""] or len(rows) != 12:
        sys.exit(f"the rows are {rows}")
    runs = {"": "101", "0@f.c:4.0": "105", "0@f.c:4.1": "101", "1@f.c:9.0": "102", "0@f.c:10.0": ""}
    for fault, expected in runs.items():
        if tree.printed(fault) != expected:
            sys.exit(f"with the fault '{fault}' the program prints {tree.printed(fault)}, expected {expected}")
    if f"{tree.root}/ci/plant" not in (tree.root / "f.d").read_text():
        sys.exit("the object does not depend on ci/plant")


def test_reviewed(tree):
    for name, expected in (("equivalent", None), ("open", "open")):
        entries = ENTRY.replace("CLASS_KEYS", KEYS[name]).replace("CLASS", name)
        if tree.plant.compile_marked(tree.command(SOURCE, entries)) != 0:
            sys.exit("the source is not compiled")
        classes = [row[4] for row in tree.rows() if row[3] == "a <= b"]
        if classes != ([expected] if expected else []):
            sys.exit(f"the entry '{name}' gives the classes {classes}")


def test_refusal(tree):
    said = io.StringIO()
    with contextlib.redirect_stderr(said):
        status = tree.plant.compile_marked(tree.command(SOURCE.replace("count * 100", "sizeof(int)")))
    if status == 0 or "f.c:9:1: error: RULE(A_02, …) has no fault" not in said.getvalue():
        sys.exit(f"a mark without faults: status {status}, {said.getvalue()}")
    unmarked = SOURCE.replace("RULE(A_01, ", "(").replace("RULE(A_02, ", "(")
    if tree.command(unmarked).is_marked():
        sys.exit("a file without marks is copied")


def test_same_code(tree):
    """Of two conditions, only one decides anything."""
    text = SOURCE.replace("RULE(A_01, a < b) ? a : b", "RULE(A_01, a > b) ? b : RULE(A_02, b > 9) ? a : a")
    command, said = tree.command(text), io.StringIO()
    os.chdir(tree.root)  # the text is compiled from the standard input, so quoted names are relative to this folder
    planted = tree.plant.Planted(command)
    names = [name.replace("_", "-") for name, mutant in planted.faults if mutant.operator == "condition" and mutant.line == 4]
    with contextlib.redirect_stdout(said):
        tree.plant.same_of_file(command, names)
    if said.getvalue() != "A-02@f.c:4.0\n":
        sys.exit(f"of {names} the same code have {said.getvalue()!r}")


def main():
    for test in (test_faults, test_reviewed, test_refusal, test_same_code):
        with tempfile.TemporaryDirectory() as folder:
            test(Tree(folder))


if __name__ == "__main__":
    main()
