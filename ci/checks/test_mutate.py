#!/usr/bin/env python3
"""Checks that ci/mutate makes exactly the expected mutants of small sources, and none in forbidden places; that files
with the mutants in them compile, select them and record which were reached; and that the report counts correctly.

Exits with 77 if clang's Python module is not installed.
"""
import contextlib
import dataclasses
import importlib.machinery
import importlib.util
import io
import json
import pathlib
import re
import shlex
import signal
import subprocess
import sys
import tempfile
import time

CI = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(CI))
with contextlib.redirect_stderr(io.StringIO()):
    try:
        import mutate_generate
        import mutate_syntax
    except SystemExit:
        sys.exit(77)
import mutate_build
import mutate_report
import mutate_run

loader = importlib.machinery.SourceFileLoader("mutate", str(CI / "mutate"))
mutate = importlib.util.module_from_spec(importlib.util.spec_from_loader("mutate", loader))
loader.exec_module(mutate)

HEAD = """\
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
typedef enum rt_code { RT_OK, RT_IO, RT_LIMIT, RT_TOOL, RT_CODE_COUNT } rt_code;
typedef struct rt_status { int code; } rt_status;
#define RT_STATUS_OK ((rt_status){0})
#define RT_TRY(expression)                             \\
    do {                                               \\
        rt_status rt_try_ = (expression);              \\
        if (rt_try_.code != 0) return rt_try_;         \\
    } while (0)
#define CHECK(condition) ((condition) ? (void)0 : rt_panic(#condition))
#define RT_TRACE(trace, ...) trace_add(trace, (int[]){__VA_ARGS__})
#define RULE(id, ...) ((void)0, (__VA_ARGS__))
#define SIM_CHECKED 0
#define LARGER(a, b) ((a) > (b) ? (a) : (b))
#define TWICE_PLUS(a) ((a) * 2 + 1)
#define rt_vector_free(l) do { rt_free(l); (l)->count = 0; } while (0)
#define rt_fail(sink, code, ...) rt_sink_fail((sink), (code), __VA_ARGS__)
enum { ROWS_MAX = 16 };
enum shape { ROUND, SQUARE, SHAPE_COUNT };
typedef struct list { struct list *next; int count; int items[ROWS_MAX]; } list;
void rt_panic(const char *text);
void trace_add(void *trace, const int *values);
rt_status rt_sink_fail(void *sink, rt_code code, const char *format, ...);
rt_status work(int a, int b);
int plain(void);
int two(int a, int b);
int mixed(int a, char *b);
bool table_equal(int a, int b);
int *table_find(int a);
int rt_free(void *p);
void list_add(list *l, int value);
"""

C, CPP = "c", "cpp"

# What is planted: the language, the body of the function f, and its mutants as "operator: original => mutated".
PLANTED = {
    "a relation": (C, "int f(int a, int b) { return a < b; }", ["relational: a < b => a <= b"]),
    "the other relations": (C, "int f(int a, int b) { return (a >= b) + (a == b); }",
                            ["relational: a >= b => a > b", "relational: a == b => a != b"]),
    "and": (C, "int f(int a, int b) { return a && b; }",
            ["logical: a && b => a || b", "logical: a && b => a", "logical: a && b => b"]),
    "not": (C, "int f(list *l) { return !l; }", ["logical: !l => !!l"]),
    "a condition": (C, "int f(int a) { if (a) a += 2; return a; }",
                    ["condition: a => !(a)", "assignment removed: a += 2; => removed",
                     "literal: 2 => 3", "literal: 2 => 1"]),
    "a condition that is a comparison": (C, "int f(int a, int b) { return a == b ? a : b; }",
                                         ["relational: a == b => a != b"]),
    "literals": (C, "unsigned f(void) { return 0x10u; }", ["literal: 0x10u => 0x11u", "literal: 0x10u => 0xfu"]),
    "a truth value": (C, "bool f(void) { return true; }", ["literal: true => false"]),
    "a bound": (C, "int f(void) { return ROWS_MAX; }",
                ["literal: ROWS_MAX => ROWS_MAX + 1", "literal: ROWS_MAX => ROWS_MAX - 1"]),
    "an enumerator": (C, "enum shape f(void) { return SQUARE; }", ["enumerator: SQUARE => ROUND"]),
    "calls": (C, "void f(list *l) { plain(); (void)plain(); }",
              ["call removed: plain(); => removed", "call removed: (void)plain(); => removed"]),
    "assignments": (C, "void f(list *l, int a) { l->count = a; l->count++; }",
                    ["assignment removed: l->count = a; => removed", "assignment removed: l->count++; => removed"]),
    "an early return": (C, "void f(int *a) { if (*a) return; plain(); }",
                        ["condition: *a => !(*a)", "return removed: return; => removed",
                         "call removed: plain(); => removed"]),
    "the last return": (C, "int f(int a) { return a; }", []),
    "the last return in a branch": (C, "int f(int a, int b) { if (a) return a; else return b; }",
                                    ["condition: a => !(a)"]),
    "a status": (C, 'rt_status f(void *s) { return rt_fail(s, RT_IO, "%d", 4); }',
                 ["status: RT_IO => RT_LIMIT", 'error becomes OK: rt_fail(s, RT_IO, "%d", 4) => RT_STATUS_OK']),
    "a status of a call": (C, "rt_status f(int a) { return work(a, a); }",
                           ["status ignored: work(a, a) => ((void)(work(a, a)), RT_STATUS_OK)"]),
    "a status that is passed on": (C, "rt_status f(rt_status status) { return status; }",
                                   ["error becomes OK: status => RT_STATUS_OK"]),
    "RT_TRY": (C, "rt_status f(int a, int b) { RT_TRY(work(a, b)); return RT_STATUS_OK; }",
               ["status ignored: RT_TRY(work(a, b)); => (void)(work(a, b));",
                "call removed: RT_TRY(work(a, b)); => removed", "swapped arguments: work(a, b) => work(b, a)"]),
    "arguments of one type": (C, "int f(int a, int b) { return two(a, b); }",
                              ["swapped arguments: two(a, b) => two(b, a)"]),
    "arguments of different types": (C, "int f(int a, char *b) { return mixed(a, b); }", []),
    "arguments whose order does not matter": (C, "bool f(int a, int b) { return table_equal(a, b); }", []),
    "jumps of a loop": (C, "void f(list *l) { for (; l; l = l->next) { if (l->count) break; if (plain()) continue; } }",
                        ["condition: l->count => !(l->count)", "condition: plain() => !(plain())",
                         "jump: break; => removed", "jump: break; => continue;", "jump: continue; => removed",
                         "jump: continue; => break;"]),
    "a break of a switch": (C, "void f(int a) { switch (a) { case 1: plain(); break; default: break; } }",
                            ["call removed: plain(); => removed", "jump: break; => removed", "jump: break; => removed"]),
    "a loop over numbers": (C, "int f(int n) { int sum; for (int i = 0; i < n; i++) sum += i; return sum; }",
                            ["first element lost: 0 => 1", "last element lost: i < n => (i) + 1 < n",
                             "relational: i < n => i <= n", "assignment removed: sum += i; => removed"]),
    "a look-up": (C, "int *f(int a) { return table_find(a); }",
                  ["stale look-up: table_find(a) => MUTANT_FIRST(table_find(a))"]),
    "arguments of a macro": (C, "int f(int a, int b) { return TWICE_PLUS(a < b); }", ["relational: a < b => a <= b"]),
    "an argument that is used twice": (C, "int f(int a, int b) { return LARGER(two(a, b), a); }",
                                       ["swapped arguments: two(a, b) => two(b, a)"]),
    "a marked condition": (C, "int f(int a) { return RULE(A_B_01, a > 1 && plain()); }",
                           ["condition: a > 1 && plain() => !(a > 1 && plain())", "relational: a > 1 => a >= 1",
                            "literal: 1 => 0", "literal: 1 => 2", "logical: a > 1 && plain() => a > 1 || plain()",
                            "logical: a > 1 && plain() => a > 1", "logical: a > 1 && plain() => plain()"]),
    "a marked comparison": (C, "void f(int a, int *b) { *b = RULE(A_B_01, a == *b); }",
                            ["assignment removed: *b = RULE(A_B_01, a == *b); => removed",
                             "relational: a == *b => a != *b"]),
    "a marked comparison with a macro": (C, "int f(list *l) { if (RULE(A_B_01, l != NULL)) return 1; return 0; }",
                                         ["relational: l != NULL => l == NULL", "return removed: return 1; => removed",
                                          "literal: 1 => 0", "literal: 1 => 2", "literal: 0 => 1"]),
    "a marked truth value": (C, "int f(int a) { if (!RULE(A_B_01, table_equal(a, a))) return 1; return 0; }",
                             ["condition: table_equal(a, a) => !(table_equal(a, a))", "return removed: return 1; => removed",
                              "literal: 1 => 0", "literal: 1 => 2", "literal: 0 => 1"]),
    "a marked value": (C, "list *f(list *l) { return RULE(A_B_01, l->next); }",
                       ["value lost: l->next => MUTANT_ZERO(l->next)"]),
    "a marked look-up": (C, "int *f(int a) { return RULE(A_B_01, table_find(a)); }",
                         ["stale look-up: table_find(a) => MUTANT_FIRST(table_find(a))",
                          "value lost: table_find(a) => MUTANT_ZERO(table_find(a))"]),
    "a marked enumerator": (C, "enum shape f(void) { return RULE(A_B_01, SQUARE); }", ["enumerator: SQUARE => ROUND"]),
    "a marked choice": (C, "int f(list *l, int a) { return RULE(A_B_01, l ? l->count : a); }",
                        ["condition: l => !(l)"]),
    "a marked status": (C, "rt_status f(int a) { RT_TRY(RULE(A_B_01, work(a, a))); return RT_STATUS_OK; }",
                        ["status ignored: RT_TRY(RULE(A_B_01, work(a, a))); => (void)(RULE(A_B_01, work(a, a)));",
                         "call removed: RT_TRY(RULE(A_B_01, work(a, a))); => removed",
                         "call removed: work(a, a) => RT_STATUS_OK"]),
    "a marked call": (C, "void f(list *l, int a) { RULE(A_B_01, list_add(l, a)); }",
                      ["call removed: list_add(l, a) => (void)0"]),
    "a marked assignment": (C, "void f(list *l, int a) { RULE(A_B_01, l->count = a); }",
                            ["assignment removed: l->count = a => l->count"]),
    "code over several lines": (C, "int f(int a,\n      int b)\n{\n    return a < /* Why. */\n           b;\n}",
                                ["relational: a < b => a <= b"]),
    "a statement in a branch": (C, "void f(int *a) { if (*a)\n        plain();\n    else\n        *a = 0; }",
                                ["condition: *a => !(*a)", "call removed: plain(); => removed",
                                 "assignment removed: *a = 0; => removed", "literal: 0 => 1"]),
    "C++": (CPP, "struct s { int a; int get() const { return a < 1; } };\n"
                 "int f(s *p) { if (auto *q = p) q->a = 2; return p->get() ? 1 : p->a; }",
            ["relational: a < 1 => a <= 1", "literal: 1 => 0", "literal: 1 => 2", "literal: 2 => 1", "literal: 2 => 3",
             "assignment removed: q->a = 2; => removed", "condition: p->get() => !(p->get())", "literal: 1 => 0",
             "literal: 1 => 2"]),
    "C++ operators": (CPP, "struct s { int a; bool operator==(const s &o) const; bool operator!=(const s &o) const; };\n"
                           "bool f(const s &p, const s &q) { return p == q; }", ["relational: p == q => p != q"]),
    # Forbidden places.
    "a check": (C, "void f(int a, int b) { CHECK(a < b && a > 2); }", []),
    "a message": (C, 'rt_status f(void *s, int a) { return rt_fail(s, RT_IO, "%d %d", a < 1, ROWS_MAX); }',
                  ["status: RT_IO => RT_LIMIT",
                   'error becomes OK: rt_fail(s, RT_IO, "%d %d", a < 1, ROWS_MAX) => RT_STATUS_OK']),
    "a trace": (C, "void f(void *t, int a) { RT_TRACE(t, a < 1, 2); }", []),
    "a free": (C, "void f(int **a) { rt_free(a[1]); }", []),
    "a loop that frees": (C, "void f(int **a, int n) { for (int i = 0; i < n; i++) rt_free(a[i]); }", []),
    "a loop that frees by a macro": (C, "void f(list *a, int n) { for (int i = 0; i < n; i++) rt_vector_free(&a[i]); }", []),
    "a loop that frees and counts": (C, "void f(int **a, int n) { for (int i = 0; i < n; i++) { rt_free(a[i]); plain(); } }",
                                     ["first element lost: 0 => 1", "last element lost: i < n => (i) + 1 < n",
                                      "relational: i < n => i <= n", "call removed: plain(); => removed"]),
    "the body of a macro": (C, "int f(int a, int b) { return LARGER(a, b); }", []),
    "constants": (C, "int f(int a) { static const int t[ROWS_MAX] = {1, 2}; int b[3]; enum { X = 4 };\n"
                     "    _Static_assert(X == 4, \"\");\n"
                     "    switch (a) { case 7: return b[a] + t[a] + (int)sizeof(int[9]); } return a; }",
                  ["return removed: return b[a] + t[a] + (int)sizeof(int[9]); => removed"]),
    "designators": (C, "int f(int a) { int b[] = {[2] = a}; return b[a]; }", []),
    "lanes of a shuffle": (C, "typedef int four __attribute__((vector_size(16)));\n"
                              "four f(four a, int b) { return __builtin_shufflevector(a, a < b, 0, 1,\n6, 7); }",
                           ["relational: a < b => a <= b"]),
    "null pointers": (C, "list *f(void) { list *l = 0; return l; }", []),
    "empty initialisers": (C, "list f(void) { list l = {0}; return l; }", []),
    "a configuration": (C, "int f(int a) { return SIM_CHECKED && a; }", []),
    "outside functions": (C, "int g = 3; static int h[2] = {1, 2}; struct q { int a : 3; };", []),
    "a constant expression of C++": (CPP, "constexpr int g(int a) { return a < 3; }", []),
}


def generated(language, body):
    """(source, its mutants), made from HEAD and a body in one file."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / f"f.{language}"
        path.write_text((HEAD if language == C else "") + body + "\n", encoding="utf-8")
        source = mutate_syntax.Source(path.read_bytes())
        arguments = ["-std=c17" if language == C else "-std=c++17"]
        found = mutate_generate.generate(str(path), arguments, lambda name: "f" if name == str(path) else None,
                                         lambda name: source)
        return source, mutate_generate.without_repeats(found)


def compile_with(language, text, folder, *options):
    """Compiles a text with marks; returns the compiler's messages, "" if there are none."""
    path = pathlib.Path(folder) / f"out.{language}"
    path.write_text(text, encoding="latin-1")
    compiler, standard = ("cc", "-std=c17") if language == C else ("c++", "-std=c++17")
    done = subprocess.run([compiler, standard, *mutate_generate.QUIET, "-O1", "-include", CI / "mutant.h", path, *options],
                          capture_output=True, text=True)
    return done.stderr


def test_mutants():
    for what, (language, body, expected) in PLANTED.items():
        source, mutants = generated(language, body)
        found = [f"{m.operator}: {m.original} => {m.mutated}" for m in mutants]
        if sorted(found) != sorted(expected):
            sys.exit(f"{what}: found\n  " + "\n  ".join(sorted(found)) + "\nexpected\n  " + "\n  ".join(sorted(expected)))
        text = mutate_generate.instrumented(source.text, list(enumerate(mutants, 1)))
        if text.count("\n") != source.text.count("\n"):
            sys.exit(f"{what}: the lines have moved:\n{text}")
        with tempfile.TemporaryDirectory() as folder:
            errors = compile_with(language, text, folder, "-c", "-o", "/dev/null")
        if errors:
            sys.exit(f"{what}: does not compile:\n{errors}\n{text}")


def test_keys():
    """Rules, functions and lines, and equal mutants of one function, which are counted."""
    _, mutants = generated(C, "int f(int a, int b)\n{\n    if (a < b && RULE(X_01, plain())) return a;\n    return a < b;\n}")
    found = [(m.function, m.line - HEAD.count("\n"), m.rules, m.nth) for m in mutants if m.operator == "relational"]
    if found != [("f", 3, ("X_01",), 1), ("f", 4, (), 2)]:
        sys.exit(f"the relations are {found}")
    _, mutants = generated(C, "int f(int a)\n{\n    return RULE(X_01, a > 1 && RULE(X_02, a < 9)) || a;\n}")
    found = {(m.original, m.mark[0] if m.mark else None) for m in mutants if m.operator == "relational"}
    if found != {("a > 1", "X_01"), ("a < 9", "X_02")}:
        sys.exit(f"the marks are {found}")
    if any(m.mark for m in mutants if m.original.endswith("|| a")):
        sys.exit("code around a mark belongs to it")


PROGRAM = """\
#include <stdio.h>
int uncalled(int a) { return a < 7; }
int dropped(int a) { if (sizeof(int) || a > 5) return 0; return 1; }
int *table_find(int a) { static int table[9]; table[a] = a; return &table[a]; }
int larger(int a, int b) { return a < b ? b : a; }
int main(int count, char **texts)
{
    int sum = 0;
    for (int i = 0; i < 3; i++) sum += *table_find(i);
    if (count > 1) sum += 100;
    printf("%d\\n", sum + larger(2, 1) + dropped(count));
    return 0;
}
"""


def test_run():
    """One program has all mutants: none by default, one by number, and a file for what was reached."""
    source, mutants = generated(C, PROGRAM)
    numbered = list(enumerate(mutants, 1))
    number = {(m.function, m.operator, m.original, m.mutated): n for n, m in numbered}
    with tempfile.TemporaryDirectory() as folder:
        program, reached = pathlib.Path(folder) / "program", pathlib.Path(folder) / "reached"
        text = mutate_generate.instrumented(source.text, numbered)
        options = ["-D_GNU_SOURCE", "-I", CI.parent, CI / "mutant.c", "-o", program]
        errors = compile_with(C, text, folder, *options)
        if errors:
            sys.exit(f"the program does not compile:\n{errors}")

        def printed(*arguments, **variables):
            return subprocess.run([program, *arguments], capture_output=True, text=True, env=variables).stdout.strip()

        runs = {(): "5",
                ("larger", "relational", "a < b", "a <= b"): "5",
                ("larger", "condition", "a < b", "!(a < b)"): "4",
                ("main", "first element lost", "0", "1"): "5",
                ("main", "last element lost", "i < 3", "(i) + 1 < 3"): "3",
                ("main", "stale look-up", "table_find(i)", "MUTANT_FIRST(table_find(i))"): "2",
                ("main", "assignment removed", "sum += *table_find(i);", "removed"): "2"}
        for key, expected in runs.items():
            found = printed(ASSAY_MUTANT=str(number[key])) if key else printed()
            if found != expected:
                sys.exit(f"{key or 'no mutant'}: printed {found}, expected {expected}")
        literal = number["main", "literal", "100", "101"]
        for argument, half in (("worker", 0), ("other", 1)):
            reached.unlink(missing_ok=True)
            if printed(argument, ASSAY_MUTANT_REACHED=str(reached)) != "105":
                sys.exit("a recording run prints something else")
            data = reached.read_bytes()
            places = [data[at * len(data) // 2 + literal] for at in (0, 1)]
            if places != [half == 0, half == 1]:
                sys.exit(f"{argument}: reached in {places}")
        # What the compiler drops after a rule mark, and what the linker discards, is not there.
        errors = compile_with(C, text, folder, *options, "-DMUTANT_PROBE", "-O2", "-ffunction-sections",
                              "-Wl,--gc-sections")
        section = pathlib.Path(folder) / "section"
        subprocess.run(["objcopy", "--dump-section", f"{mutate_build.SECTION}={section}", program, "/dev/null"],
                       check=True)
        absent = {mutants[n - 1] for n in set(range(1, len(mutants) + 1)) -
                  mutate_build.marks_of(section.read_bytes())}
        expected = {m for m in mutants if m.function == "uncalled" or m.original in ("5", "a > 5")}
        expected |= {m for m in mutants if m.function == "dropped" and m.operator == "literal" and m.line > 0
                     and m.original == "1"}
        if errors or absent != expected:
            sys.exit("absent are " + "; ".join(f"{m.function}: {m.original} => {m.mutated}" for m in absent) + errors)


class OneFile:
    """A build whose only file is f.c."""

    def __init__(self, folder):
        self.root = pathlib.Path(folder)

    @staticmethod
    def commands():
        return [("f.c", ["-std=c17"])]


def test_same_code():
    """Only one of these conditions decides anything."""
    source, mutants = generated(C, "int f(int a, int b) { if (a) return b; if (b) return a; return a; }")
    with tempfile.TemporaryDirectory() as folder:
        (pathlib.Path(folder) / "f.c").write_text(source.text, encoding="latin-1")
        compiler = mutate_run.Compiler(OneFile(folder))
        found = {m.original: compiler.is_same(dataclasses.replace(m, file="f.c"))
                 for m in mutants if m.operator == "condition"}
    if found != {"a": False, "b": True}:
        sys.exit(f"of the conditions have the same code: {found}")


def test_report():
    low, high = mutate_report.wilson(8, 10)  # Wilson 1927; the interval of 8 of 10 is a standard example
    if (round(low, 1), round(high, 1)) != (49.0, 94.3):
        sys.exit(f"the interval is {low}-{high}")
    _, mutants = generated(C, "int f(int a, int b) { return (a < b) + 4; }")
    entry = """\
- {file: f, function: f, operator: relational, original: a < b, mutated: a <= b, class: CLASS, reason: because}
"""
    cases = {
        "equivalent": [],
        "nonsense": ["entry 1: unknown class 'nonsense'"],
        "open": ["entry 1: 'date' is missing"],
    }
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "mutants.yaml"
        for name, expected in cases.items():
            path.write_text(entry.replace("CLASS", name))
            problems = mutate_report.Reviewed(path).check(mutants)
            if len(problems) != len(expected) or not all(e in p for e, p in zip(expected, problems)):
                sys.exit(f"{name}: {problems}")
        path.write_text(entry.replace("CLASS", "equivalent"))
        reviewed = mutate_report.Reviewed(path)
        if not reviewed.check(mutants[1:]):
            sys.exit("an entry without its mutant is accepted")
        rows = [{"number": n, "key": list(m.key), "line": m.line, "scenarios": 1, "result": "survived"}
                for n, m in enumerate(mutants)]
        rows[1] = {**rows[1], "result": "verdict", "by": "s"}
        cells = mutate_report.table(rows, reviewed, lambda row: "all")[0]
        # Of three, one is equivalent.
        if cells[1:4] != ["50 %", "9-91", "1/2"] or cells[-3:] != ["1", "0", "50 %"]:
            sys.exit(f"the score is {cells}")
        judged = [rows[0], rows[1], {**rows[2], "unit": "t"}]
        if mutate_report.table(judged, reviewed, lambda row: "all")[0][-3:] != ["1", "1", "100 %"]:
            sys.exit("a unit test that notices a mutant does not count")
        if not reviewed.contradicted([{**rows[0], "unit": "t"}]):
            sys.exit("an entry that is called equivalent although a unit test notices its mutant is accepted")
        if not reviewed.contradicted([{**rows[0], "result": "verdict", "by": "s"}]):
            sys.exit("an entry whose mutant is killed is accepted")
        # The first has an entry, the second is killed again.
        lost = reviewed.lost(rows, {tuple(row["key"]): "an earlier scenario" for row in rows})
        if len(lost) != 1 or mutate_report.place(rows[2]["key"]) not in lost[0]:
            sys.exit(f"lost are {lost}")


class Sample:
    """A score of 400 mutants, of which `killed` are noticed by scenarios and `units` by unit tests."""

    def __init__(self, killed, units=0):
        rows = [{"number": n, "key": ("f", "f", "relational", "a", "b", n), "result": "verdict" if n < killed else "survived",
                 **({"unit": "t"} if killed <= n < killed + units else {})} for n in range(400)]
        self.score = mutate_report.score_of(rows, mutate_report.Reviewed(pathlib.Path("/nonexistent")))


# The groups of ci/nightly: words of the file options, the floor's option, the numbers killed of 400 with which the upper
# end of Wilson's interval is just below and above the floor.  90 %: 348 give 83.3-89.9, 350 give 83.9-90.4; 80 %: 304
# give 71.6-79.9, 305 give 71.9-80.1; 97 %: 380 give 92.4-96.7, 382 give 93.0-97.1.
NIGHTLY = [
    (["reference/program", "reference/sched", "reference/fusion", "reference/vfunc", "reference/memory",
      "reference/module", "reference/runtime.c"], Sample(348), Sample(350), "--floor 90"),
    (["reference/compiler"], Sample(304), Sample(305), "--floor 80"),
    (["reference"], Sample(300, 80), Sample(300, 82), "--floor-with-units 97"),
    (["sim"], Sample(100, 248), Sample(100, 250), "--floor-with-units 90"),
]


def test_nightly():
    """ci/nightly runs a sample of each group, which fails if the upper end of its interval is below the floor."""
    text = (CI / "nightly").read_text(encoding="utf-8").replace("\\\n", " ")
    common = re.search(r"^mutate\(\) \{ attempt ci/mutate (.*) \"\$@\"; \}$", text, re.MULTILINE).group(1)
    runs = [mutate.options_read([*shlex.split(common), *shlex.split(line)])
            for line in re.findall(r"^mutate (--floor.*)$", text, re.MULTILINE)]
    if len(runs) != len(NIGHTLY):
        sys.exit(f"ci/nightly has {len(runs)} samples of mutants")
    for options, (files, below, above, floor) in zip(runs, NIGHTLY):
        if options.file != files or options.count != 400 or not options.record:
            sys.exit(f"ci/nightly: expected the files {files}, found {options}")
        missed = mutate.floors_missed(options, below.score)
        if len(missed) != 1 or not missed[0].startswith(f"ci/mutate: {floor}:"):
            sys.exit(f"ci/nightly: {floor} of {files}: {missed}")
        if mutate.floors_missed(options, above.score):
            sys.exit(f"ci/nightly: {floor} of {files} is missed although the interval contains it")


class Recorded:
    """Three scenarios that reach a mutant, c in the compile stage; a reaches fewer of the file's mutants than the others."""

    def __init__(self):
        self.missing = {}
        self.identity = "0"
        self.children = None
        names = ["scenarios/x/a.yaml", "scenarios/x/b.yaml", "scenarios/y/c.yaml"]
        self.seconds = {(name, judge): 0.1 for name in names for judge in mutate_run.JUDGES}
        self.names = names
        self.having = {"word": set(names[:1]), "another": set()}

    def reaching(self, number, judge):
        return self.names[2:], self.names[:2]

    def richness(self, name, judge, numbers):
        return 1 if name.endswith("a.yaml") else 2


def test_judges():
    """Which subjects judge a mutant, on which scenarios; sim in the profile of the documents is the first."""
    judges = {file: [judge.label for judge in mutate_run.JUDGES if judge.takes_file(file)]
              for file in ("reference/sched/wait.c", "reference/runtime.c", "reference/compiler/ptx/spaces.c",
                           "reference/compiler/spirv/link.c", "sim/compiled/flat.c", "simple.c")}
    runtimes = ["sim", "sim", "sim --explore", "sim --fail-calls 32", "sim sanitized"]
    expected = {"reference/sched/wait.c": runtimes, "reference/runtime.c": runtimes,
                "reference/compiler/ptx/spaces.c": ["sim", "sim", "nvlink", "intel-gpu"],
                "reference/compiler/spirv/link.c": ["sim", "sim", "nvlink", "intel-gpu", "pocl"],
                "sim/compiled/flat.c": ["sim", "sim", "sim{tier=compiled}"], "simple.c": ["sim", "sim"]}
    if judges != expected or mutate_run.JUDGES[0].profile != "documents":
        sys.exit(f"the judges are {judges}")
    if len({judge.name for judge in mutate_run.JUDGES}) != len(mutate_run.JUDGES):
        sys.exit("two judges have one name")
    if [judge.label for judge in mutate_run.JUDGES if not judge.takes_compiler] != runtimes[2:]:
        sys.exit("other judges than those of the runtime alone find the compile stage's answers in the cache")
    linking = mutate_run.JUDGES[-1]
    if not linking.takes_scenario("scenarios/linking/a.yaml") or linking.takes_scenario("scenarios/data/a.yaml"):
        sys.exit("a judge of one folder judges other scenarios")
    mutant = generated(C, "int f(int a, int b) { return a < b; }")[1][0]
    with tempfile.TemporaryDirectory() as folder:
        build = OneFile(folder)
        build.folder, build.ranges = build.root, {"f": range(1, 3)}
        every, richest = ["a.yaml", "b.yaml", "c.yaml"], ["b.yaml", "c.yaml"]
        words = ("another", "word")
        for most, most_of_run, always, expected in ((0, 0, (), every), (2, 0, (), richest), (2, 0, words, every),
                                                    (2, 0, words[:1], richest), (0, 2, (), richest), (3, 2, (), richest),
                                                    (2, 2, words, richest)):
            runner = mutate_run.Runner(build, Recorded(), most_of_run)
            judge = dataclasses.replace(mutate_run.JUDGES[0], most=most, always=always)
            runner.scenarios.seconds.update({(name, judge): 0.1 for name in runner.scenarios.names})
            groups = list(runner.groups(mutant, 1, judge))
            found = [name.split("/")[2] for names, _ in groups for name in names]
            if found != expected or [answers for _, answers in groups] != ["find", "none"]:
                sys.exit(f"with at most {most} scenarios of the judge and {most_of_run} of the run, these run: {groups}")
        # Records of another state of the tree.
        row = {"number": 1, "key": list(mutant.key), "by": "s"}
        for result, expected in (("verdict", 1), ("time-out", 0)):
            (build.folder / "results-1.jsonl").write_text(json.dumps({**row, "result": result}) + "\n")
            if len(runner.earlier()) != expected:
                sys.exit(f"an earlier {result}: {runner.earlier()}")


def test_children():
    """An interrupted run ends its processes with what they have started, and starts no more."""
    children = mutate_run.Children()
    begin = time.monotonic()

    def sleep(_):
        return children.run(["sh", "-c", "sleep 60 & echo $!; wait"])

    def interrupt(_):
        raise KeyboardInterrupt

    def work(item):
        return children.run(["true"]) if item == 0 else sleep(item)

    try:
        children.for_each(2, work, range(4), interrupt)
        sys.exit("an interruption is lost")
    except KeyboardInterrupt:
        pass
    if time.monotonic() - begin > 30:
        sys.exit("an interrupted run waits for its processes")
    try:
        children.start(["true"])
        sys.exit("an interrupted run starts a process")
    except mutate_run.Interrupted:
        pass

    def alarm(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, alarm)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    alone = mutate_run.Children()
    try:
        alone.run(["sleep", "60"])
        sys.exit("an interruption of a single process is lost")
    except KeyboardInterrupt:
        pass
    signal.signal(signal.SIGALRM, before)
    if alone.running or time.monotonic() - begin > 30:
        sys.exit("an interrupted run leaves its process")
    if mutate_run.Children().run(["sleep", "60"], limit=0.1)[0] is not None:
        sys.exit("a process that does not end in time has a status")


def main():
    test_mutants()
    test_keys()
    test_run()
    test_same_code()
    test_report()
    test_nightly()
    test_judges()
    test_children()


if __name__ == "__main__":
    main()
