#!/usr/bin/env python3
"""Adds one thing at a time to a small tree and checks that ci/style counts it, and nothing else."""
import json
import pathlib
import subprocess
import sys
import tempfile

STYLE = pathlib.Path(__file__).resolve().parent.parent / "style"

# 10 lines, 7 of them code; one function of 5 lines; 98 characters, 23 of them a comment.
PLAIN = """\
/* A file that says. */
#include "sim/a.h"

int a;

int plain(int x)
{
    a = x;
    return a;
}
"""
BLOCK = """\
    a += one(x);
    a -= two(x);
    x = a * 3;
    x = !x;
    if (x > 4) a++;
    a = x / 5;
    x = (a + 6) * x;
    a += eight(x, a);
"""


def function(name, body, static=False):
    return f"\n{'static ' if static else ''}int {name}(int x)\n{{\n{body}    return x;\n}}\n"


def measured(files, *arguments):
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        subprocess.run(["git", "init", "-q", root], check=True)
        for name, text in files.items():
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).write_text(text)
        result = subprocess.run([sys.executable, STYLE, "--root", root, *arguments], capture_output=True, text=True)
        if result.returncode != 0:
            sys.exit(f"ci/style fails: {result.stderr}")
        return result.stdout


def counts_of(files):
    return json.loads(measured(files, "sim", "--json"))["sim"]


def sizes_of(counts):
    """The numbers of a result; lists of places become their lengths."""
    sizes = {}
    for key, value in counts.items():
        if key == "function_lines":
            sizes[key] = list(value.values())
        elif key == "longest_function":
            sizes[key] = value[0] if value else 0
        else:
            sizes[key] = len(value) if isinstance(value, list) else value
    return sizes


CHECKS = """\
    CHECK(x > 0);
    CHECK_IMPLIES(x > 1, a);
    CHECK_SLOW(structure_is_right(&a));
    /* CHECK(x > 1); */
    puts("CHECK(x > 2)");
"""
POINTERS = """\
    CHECK(p->next);
    CHECK(p != NULL && p->row[0]);
    CHECK(p->is_ready);
    CHECK(p->open);
    CHECK(p->next == q);
"""

# The addition: files next to sim/a.c, or text appended to it, and the counts that change.
PLANTED = {
    "lines and product lines": ({"+": "\n/* Two\n * lines. */\nint b; /* behind code */\n"},
                                {"lines": 14, "product_lines": 8}),
    "a test": ({"sim/test/b.c": function("b", "    goto x; /* TODO */\n    CHECK(x > 0);\n")},
               {"files": 1, "lines": 10, "product_lines": 7, "functions": 1, "goto": 0, "todo": 0, "assertions": {}}),
    "a fuzzer": ({"sim/fuzz/b.c": function("b", "")}, {"files": 2, "product_lines": 7}),
    "a table": ({"sim/b.def": "ROW(1)\n"}, {"files": 1, "product_lines": 8}),
    "a script": ({"sim/b.py": '"""Says\nwhat."""\n# Why.\nprint(1)\n'},
                 {"files": 1, "product_lines": 7, "other_product_lines": 1}),
    "a function": ({"+": function("b", "    x++;\n" * 3)}, {"functions": 2, "longest_function": 7}),
    "a long function": ({"+": function("b", "    x++;\n" * 67)},
                        {"functions": 2, "longest_function": 71, "long_functions": 1}),
    "one of seventy lines": ({"+": function("b", "    x++;\n" * 66)}, {"longest_function": 70, "long_functions": 0}),
    "a brace in a string": ({"+": function("b", '    puts("\\n{\\n");\n')}, {"functions": 2}),
    "functions in a namespace": ({"sim/b.cpp": "namespace b\n{\n" + function("c", "") + function("d", "") + "}\n"},
                                 {"functions": 3}),
    "goto": ({"+": function("b", "    goto out;\nout:\n")}, {"goto": 1}),
    "TODO": ({"+": "/* TODO: write it. */\n"}, {"todo": 1}),
    "a static function with one caller": (
        {"+": function("b", "", True) + function("c", "    b(x);\n")},
        {"static_functions": 1, "single_caller_functions": 1}),
    "one with two": ({"+": function("b", "", True) + function("c", "    b(b(x));\n")},
                     {"static_functions": 1, "single_caller_functions": 0}),
    "assertions": ({"+": function("b", CHECKS) + "_Static_assert(sizeof(int) == 4, \"\");\n"},
                   {"assertions": {"CHECK": 1, "CHECK_IMPLIES": 1, "CHECK_SLOW": 1, "_Static_assert": 1},
                    "pointer_assertions": 0}),
    "assertions that ask for NULL": ({"+": "bool open;\n" + function("b", POINTERS)},
                                     {"assertions": {"CHECK": 5}, "pointer_assertions": 2}),
    "comments": ({"+": "/* 12345 */\n// 678\n"}, {"comment_characters": 40, "characters": 117}),
    "a comment in a string": ({"+": 'char *c = "/* no */";\n'}, {"comment_characters": 23}),
    "a macro of lines": ({"+": "#define B(x) \\\n    (x)\n"}, {"macro_lines": 2, "long_macros": 0}),
    "a macro of many": ({"+": "#define B(x)" + " \\\n    x;" * 10 + "\n"}, {"macro_lines": 11, "long_macros": 1}),
    "equal blocks": ({"+": function("b", BLOCK) + function("c", "    x--;\n" + BLOCK.replace("(x)", "( x ) /* */"))},
                     {"duplicates": 1, "same_shape": 1}),
    "seven equal lines": ({"+": function("b", BLOCK) + function("c", "    x--;\n" + BLOCK.replace("eight", "nine"))},
                          {"duplicates": 0}),
    "blocks of one shape": (
        {"+": function("b", BLOCK) + function("c", "    x--;\n" + BLOCK.replace("a ", "e ").replace("3", "0x33"))},
        {"duplicates": 0, "same_shape": 1}),
    "blocks of different shapes": (
        {"+": function("b", BLOCK) + function("c", "    x--;\n" + BLOCK.replace("*", "%"))},
        {"duplicates": 0, "same_shape": 0}),
    "decimal digits by hand": ({"+": function("b", "    x = x * 10 + (c - '0');\n")}, {"parsers": 1}),
    "hexadecimal digits": ({"+": function("b", '    x = "0123456789abcdef"[x];\n')}, {"parsers": 1}),
    "UTF-8": ({"+": function("b", "    x = (c & 0xC0) == 0x80;\n")}, {"parsers": 1}),
    "strtol": ({"+": function("b", "    x = strtol(c, NULL, 0);\n")}, {"parsers": 1}),
    "an include cycle": (
        {"sim/a.h": '#include "sim/one/b.h"\n', "sim/one/b.h": '#include "sim/two/c.h"\n',
         "sim/two/c.h": '#include "sim/one/b.h"\n'}, {"include_cycles": 1}),
    "includes without a cycle": (
        {"sim/a.h": '#include "sim/one/b.h"\n', "sim/one/b.h": '#include "sim/two/c.h"\n', "sim/two/c.h": "\n"},
        {"include_cycles": 0}),
}

KEPT_BY_ALL = {"files": 1, "lines": 10, "product_lines": 7, "other_product_lines": 0, "functions": 1,
               "function_lines": [5, 5, 5, 5], "longest_function": 5, "long_functions": 0, "all_functions": 1,
               "static_functions": 0, "single_caller_functions": 0, "assertions": {}, "pointer_assertions": 0,
               "characters": 98, "comment_characters": 23, "macro_lines": 0, "long_macros": 0, "goto": 0, "todo": 0,
               "duplicates": 0, "same_shape": 0, "parsers": 0, "include_cycles": 0}


def expect(what, found, expected):
    for key, value in expected.items():
        if found[key] != value:
            sys.exit(f"{what}: {key} is {found[key]}, expected {value}")


def test_counts():
    expect("the plain file", sizes_of(counts_of({"sim/a.c": PLAIN})), KEPT_BY_ALL)
    for what, (files, expected) in PLANTED.items():
        planted = {"sim/a.c": PLAIN + files.get("+", "")}
        planted.update((name, text) for name, text in files.items() if name != "+")
        expect(what, sizes_of(counts_of(planted)), expected)


def test_quantiles():
    """Functions of 4 to 13 lines: the sixth has 9, the eighth 11, the tenth 13."""
    text = "".join(function(f"f{n}", "    x++;\n" * n) for n in range(10))
    counts = counts_of({"sim/a.c": text})
    expect("ten functions", counts, {"function_lines": {"50": 9, "75": 11, "90": 13, "99": 13}})


def test_sample():
    files = {"sim/a.c": PLAIN + function("b", '    fail("the module has no kernel");\n    put("x y");\n'),
             "ci/b.py": "#!/usr/bin/env python3\n# Adds the numbers of a row.\nprint('not read')\n",
             "ci/checks/test_a.py": "print('the words of a test')\n",
             "sim/test/c.c": 'int c = f("a message of a test alone");\n'}
    printed = measured(files, "--sample", "1")
    expected = ["ci/b.py:2: Adds the numbers of a row.", "sim/a.c:1: A file that says.",
                "sim/a.c:14: the module has no kernel"]
    if printed.splitlines() != expected:
        sys.exit(f"the sample is\n{printed}")
    files["sim/a.c"] += "".join(f"/* This is number {n} of many. */\nint v{n};\n" for n in range(50))
    first, again, other = (measured(files, "--sample", seed, "--count", "5") for seed in "112")
    if first != again or first == other or len(first.splitlines()) != 5:
        sys.exit("a sample is not that of its seed")


def test_compare():
    with tempfile.TemporaryDirectory() as folder:
        before = pathlib.Path(folder) / "before.json"
        before.write_text(measured({"sim/a.c": PLAIN}, "sim", "--json"))
        printed = measured({"sim/a.c": PLAIN + function("b", "    CHECK(x > 0);\n")}, "sim", "--compare", before)
    for row in ("functions 1 > 2", "assertions 0 > 1", "macro lines 0"):
        if row not in [" ".join(line.split()) for line in printed.splitlines()]:
            sys.exit(f"--compare lacks '{row}':\n{printed}")


def main():
    test_counts()
    test_quantiles()
    test_sample()
    test_compare()


if __name__ == "__main__":
    main()
