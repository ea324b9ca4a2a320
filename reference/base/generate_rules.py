#!/usr/bin/env python3
"""Generates rule_ids.h and rule_rows.inc from the table of the documents' rules."""
import re
import sys


def write(path, text):
    """Writes the file unless it says so already: nothing is compiled anew for a rule's wording."""
    try:
        with open(path, encoding="utf-8") as file:
            if file.read() == text:
                return
    except FileNotFoundError:
        pass
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def main(rules_path, out_folder):
    with open(rules_path, encoding="utf-8") as file:
        ids = re.findall(r"^- id: (\S+)$", file.read(), re.MULTILINE)
    if not ids or len(ids) != len(set(ids)):
        sys.exit(f"{rules_path}: no rules, or an id that occurs twice")
    names = [(rule.replace("-", "_"), rule) for rule in ids]

    write(f"{out_folder}/rule_ids.h",
          "/* Generated from scenarios/requirements.yaml. */\n#ifndef RULE_IDS_H\n#define RULE_IDS_H\n\n"
          "typedef enum rt_rule {\n    RT_RULE_NONE = 0,\n"
          + "".join(f"    RT_RULE_{identifier},\n" for identifier, _ in names)
          + "    RT_RULE_COUNT\n} rt_rule;\n\n#endif\n")
    write(f"{out_folder}/rule_rows.inc",
          "/* Generated from scenarios/requirements.yaml: identifier, name. */\n"
          'RT_RULE_ROW(NONE, "")\n'
          + "".join(f'RT_RULE_ROW({identifier}, "{rule}")\n' for identifier, rule in names))


if __name__ == "__main__":
    main(*sys.argv[1:])
