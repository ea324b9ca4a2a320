#!/usr/bin/env python3
"""Rejects the words of ci/words.txt in comments, strings, scenario summaries and pages.

usage: check_words.py [--root DIR] [FILE…]

Without FILE, every file of the tree is read.  Prints FILE:LINE, the words and what to write instead; the exit
status is 1 if any were found.  A string that spans several lines is reported at its first line.  In a page, code
spans, code blocks, quotations and a table's column "instead of" are not read.
"""
import argparse
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import source_text

HERE = pathlib.Path(__file__).resolve().parent
WORDS = HERE / "words.txt"
# Files that quote the words, and text written by others.
LEFT_OUT = re.compile(r"^(ci/words\.txt|ci/checks/test_check_words\.py|LICENSE)$")


def rules_read(path):
    """Returns [(pattern, suggestion, reason)] from the list."""
    rules = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        if len(fields) != 3 or not all(fields):
            sys.exit(f"{path}:{number}: error: expected PATTERN, suggestion and reason with tabs between")
        try:
            pattern = re.compile(fields[0].replace(" ", r"\s+"), re.IGNORECASE)
        except re.error as error:
            sys.exit(f"{path}:{number}: error: {error}")
        rules.append((pattern, fields[1], fields[2]))
    return rules


def page_lines(text):
    """Yields (line number, prose) of a page; a table's column "instead of" is left out."""
    is_code = is_pairs = False
    for number, line in enumerate(text.split("\n"), 1):
        if line.lstrip().startswith("```"):
            is_code = not is_code
        elif not is_code and not line.startswith((">", "    ")):
            is_pairs = line.startswith("| instead of |") or (is_pairs and line.startswith("|"))
            prose = line.split("|", 2)[2] if is_pairs and line.count("|") > 1 else line
            yield number, re.sub(r"`[^`]*`", "``", prose)


def page_pieces(text):
    """Yields the paragraphs of a page as pieces, so that phrases across line ends are found."""
    block, start, last = [], 0, -1
    for number, prose in list(page_lines(text)) + [(0, "")]:
        if block and (not prose.strip() or number != last + 1):
            yield "page", start, "\n".join(block)
            block = []
        if prose.strip():
            start = number if not block else start
            block.append(prose)
        last = number


def problems_of(name, text, rules):
    pieces = page_pieces(text) if name.endswith(".md") else source_text.pieces(name, text)
    for kind, line, said in pieces:
        for pattern, suggestion, reason in rules:
            for match in pattern.finditer(said):
                place = line if kind == "string" else line + said.count("\n", 0, match.start())
                yield place, " ".join(match.group(0).split()), suggestion, reason


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--root", type=pathlib.Path, default=HERE.parent, metavar="DIR")
    parser.add_argument("files", nargs="*", metavar="FILE", help="relative to the root")
    options = parser.parse_args()
    rules = rules_read(WORDS)
    found = 0
    for name in options.files or source_text.tree_files(options.root):
        text = None if LEFT_OUT.match(name) else source_text.read_text(options.root, name)
        for line, words, suggestion, reason in sorted(problems_of(name, text, rules)) if text else ():
            found += 1
            print(f"{name}:{line}: error: '{words}': write {suggestion} ({reason})", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
