"""Collects the names of OpenCL C's builtin functions from clang's headers.

Usage: generate_builtins.py OUTPUT HEADER...

A builtin is declared with __ovld (overloadable: its symbol is mangled) or plainly (printf).  The
output is one C string literal a line, sorted by byte order, for a binary search.
"""
import re
import sys

DECLARATION = re.compile(r"\b([a-z]\w*)\s*\(")
KEYWORDS = {"__attribute__", "if", "for", "while", "sizeof", "defined", "return"}


def declarations(text):
    """Yields the statements of a header: comments, directives and macro bodies removed."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = text.replace("\\\n", " ")
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    return (" ".join(part.split()) for part in text.split(";"))


def names(text):
    for statement in declarations(text):
        overloadable = "__ovld" in statement or "overloadable" in statement
        plain = re.match(r"int printf\b", statement)
        if not (overloadable or plain):
            continue
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", statement)
        match = next((m for m in DECLARATION.finditer(head) if m[1] not in KEYWORDS), None)
        if match:
            yield match[1]


def main():
    output, headers = sys.argv[1], sys.argv[2:]
    found = set()
    for header in headers:
        with open(header, encoding="utf-8") as file:
            found.update(names(file.read()))
    if len(found) < 200:
        sys.exit(f"{headers}: only {len(found)} builtin names found: has the headers' form changed?")
    with open(output, "w", encoding="utf-8") as file:
        for name in sorted(found):
            file.write(f'"{name}",\n')


main()
