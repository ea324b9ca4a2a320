"""Collects the names of OpenCL C's builtin functions from clang's headers, and how many parameters they have.

Usage: generate_builtins.py OUTPUT HEADER...

A builtin is declared with __ovld (overloadable: its symbol is mangled) or plainly (printf).  The
output is one row a line, {"name", parameters}, sorted by byte order, for a binary search; bit N of the parameters is
set if an overload has N of them, and all bits if one has an ellipsis.
"""
import re
import sys

DECLARATION = re.compile(r"\b([a-z]\w*)\s*\(")
KEYWORDS = {"__attribute__", "if", "for", "while", "sizeof", "defined", "return"}
ANY_NUMBER = 0xFFFFFFFF


def declarations(text):
    """Yields the statements of a header: comments, directives and macro bodies removed."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = text.replace("\\\n", " ")
    text = "\n".join(line for line in text.split("\n") if not line.lstrip().startswith("#"))
    return (" ".join(part.split()) for part in text.split(";"))


def parameters(text):
    """The set of numbers of parameters, as bits, of a list that follows its opening parenthesis."""
    depth, commas = 1, 0
    for end, character in enumerate(text):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            break
        commas += character == "," and depth == 1
    words = text[:end].strip()
    if "..." in words:
        return ANY_NUMBER
    return 1 << (0 if words in ("", "void") else commas + 1)


def builtins(text):
    for statement in declarations(text):
        overloadable = "__ovld" in statement or "overloadable" in statement
        plain = re.match(r"int printf\b", statement)
        if not (overloadable or plain):
            continue
        head = re.sub(r"__attribute__\s*\(\(.*?\)\)", " ", statement)
        match = next((m for m in DECLARATION.finditer(head) if m[1] not in KEYWORDS), None)
        if match:
            yield match[1], parameters(head[match.end():])


def main():
    output, headers = sys.argv[1], sys.argv[2:]
    found = {}
    for header in headers:
        with open(header, encoding="utf-8") as file:
            for name, numbers in builtins(file.read()):
                found[name] = found.get(name, 0) | numbers
    if len(found) < 200:
        sys.exit(f"{headers}: only {len(found)} builtin names found: has the headers' form changed?")
    with open(output, "w", encoding="utf-8") as file:
        for name in sorted(found):
            file.write(f'{{"{name}", 0x{found[name]:x}}},\n')


main()
