#!/usr/bin/env python3
"""Turns the SPIR-V grammar into tables: generate_opcodes.py SUPPLEMENT SEMANTICS CORE OPENCL_STD OUT_DIR.

Writes sim_spirv.h (the specification's numbers, each name prefixed with SIM_),
sim_spirv_rows.inc (for opcodes.c: a macro for the form of each instruction, and X-macro rows for
operand kinds, enumerants and operands), sim_spirv_needs.inc (for needs.c: what each instruction
and enumerant requires, and what each capability implies) and sim_semantics.inc (for opcodes.c: the
rows of SEMANTICS, semantics.def).  The supplement has the form of the core grammar; an entry whose
number the core grammar already has only adds its name and capabilities, so that a newer grammar makes it superfluous,
never contradictory.  The instructions of a grammar newer than the one for which semantics.def is
complete get rows that refuse them.
"""

import json
import pathlib
import re
import sys

# The grammar for which semantics.def has a row for every instruction.
COMPLETE_FOR = (1, 6, 1)

QUANTIFIERS = {None: "ONE", "?": "OPTIONAL", "*": "MANY"}
CATEGORIES = {"BitEnum": "BITS", "ValueEnum": "VALUE", "Id": "ID", "Literal": "LITERAL",
              "Composite": "PAIR"}


def number(value):
    """Returns a number of the grammar, which is an integer or, for bits, a hexadecimal string."""
    return int(value, 0) if isinstance(value, str) else value


def merged(core, supplement):
    """Returns the core grammar with the supplement's additional entries."""
    opcodes = {row["opcode"] for row in core["instructions"]}
    core["instructions"] += [row for row in supplement["instructions"]
                             if row["opcode"] not in opcodes]
    kinds = {kind["kind"]: kind for kind in core["operand_kinds"]}
    for kind in supplement["operand_kinds"]:
        known = kinds.get(kind["kind"])
        if known is None:
            core["operand_kinds"].append(kind)
            continue
        values = {number(row["value"]): row for row in known["enumerants"]}
        names = {name for row in known["enumerants"] for name in names_of(row, "enumerant")}
        for row in kind["enumerants"]:
            same = values.get(number(row["value"]))
            if same is None:
                known["enumerants"].append(row)
                continue
            if row["enumerant"] not in names:
                same.setdefault("aliases", []).append(row["enumerant"])
            # The capabilities are alternatives.
            same.setdefault("capabilities", []).extend(row.get("capabilities", []))
    return core


def names_of(row, key):
    """Returns the name of an instruction or enumerant, and its aliases, which newer grammars list in the same row."""
    return [row[key], *row.get("aliases", [])]


def named_as_in(grammar, semantics):
    """Gives every instruction the name that semantics.def uses: newer grammars prefer another of its names."""
    used = set(re.findall(r"^SIM_OP(?:_REFUSED)?\((\w+)", semantics, re.MULTILINE))
    for row in grammar["instructions"]:
        names = names_of(row, "opname")
        names.sort(key=lambda name: name not in used)
        row["opname"], *row["aliases"] = names
    return grammar


def semantics_rows(grammar, semantics):
    """Returns the rows of semantics.def in their order, with those of newer instructions inserted by number."""
    rows = re.findall(r"^SIM_OP.*$", semantics, re.MULTILINE)
    version = tuple(grammar[part] for part in ("major_version", "minor_version", "revision"))
    if version <= COMPLETE_FOR:
        return rows
    numbers = {row["opname"]: row["opcode"] for row in grammar["instructions"]}
    known = [re.match(r"\w+\((\w+)", row)[1] for row in rows]
    for row in first_of_each(grammar["instructions"], "opcode"):
        if row["opname"] in known:
            continue
        place = sum(numbers.get(name, 0) < row["opcode"] for name in known)
        known.insert(place, row["opname"])
        rows.insert(place, f"SIM_OP_REFUSED({row['opname']}, \"this simulator is older than the instruction\")")
    return rows


def first_of_each(rows, key):
    """Returns the rows sorted by number, only the first for each number: the others are aliases."""
    seen = {}
    for row in rows:
        seen.setdefault(number(row[key]), row)
    return [seen[value] for value in sorted(seen)]


class Pool:
    """Operand lists, one after the other."""

    def __init__(self):
        self.rows = []

    def add(self, operands):
        first = len(self.rows)
        for operand in operands:
            quantifier = QUANTIFIERS[operand.get("quantifier")]
            self.rows.append(f"SIM_OPERAND({operand['kind']}, {quantifier})")
        return f"{first}, {len(operands)}"


def words_min(operands, pairs):
    """Returns the minimum number of words in an instruction with these operands, opcode included."""
    return 1 + sum(2 if operand["kind"] in pairs else 1
                   for operand in operands if "quantifier" not in operand)


def instruction_rows(grammar, pool, pairs):
    rows = []
    for row in first_of_each(grammar["instructions"], "opcode"):
        operands = row.get("operands", [])
        kinds = [operand["kind"] for operand in operands]
        has_type = int("IdResultType" in kinds)
        has_result = int("IdResult" in kinds)
        rest = operands[has_type + has_result:]
        rows.append(f"#define SIM_FORM_{row['opname']} {has_type}, {has_result}, "
                    f"{words_min(operands, pairs)}, {pool.add(rest)}")
    return rows


def extended_rows(extended):
    rows = []
    for row in first_of_each(extended["instructions"], "opcode"):
        operands = row.get("operands", [])
        fixed = sum("quantifier" not in operand for operand in operands)
        has_literal = bool(operands) and operands[-1]["kind"] != "IdRef"
        rows.append(f"#define SIM_STD_FORM_{row['opname']} {fixed}, {int(fixed < len(operands))}, "
                    f"{int(has_literal)}")
    return rows


def kind_rows(grammar, pool):
    kinds, enumerants = [], []
    for kind in grammar["operand_kinds"]:
        first = len(enumerants)
        for row in first_of_each(kind.get("enumerants", []), "value"):
            enumerants.append(f"SIM_ENUMERANT(\"{row['enumerant']}\", {number(row['value'])}u, "
                              f"{pool.add(row.get('parameters', []))})")
        bases = kind.get("bases", ["IdRef", "IdRef"])
        kinds.append(f"SIM_KIND({kind['kind']}, {CATEGORIES[kind['category']]}, {first}, "
                     f"{len(enumerants) - first}, {bases[0]}, {bases[1]})")
    return kinds, enumerants


def header(grammar, extended):
    """Returns the lines of sim_spirv.h, which contains enumerations."""
    lines = ["/* Generated by generate_opcodes.py from the SPIR-V grammar. */",
             "#ifndef SIM_SPIRV_H", "#define SIM_SPIRV_H", "", "typedef enum sim_number {"]
    lines += [f"    SIM_{name} = {row['opcode']}," for row in grammar["instructions"]
              for name in names_of(row, "opname")]
    lines += ["} sim_number;", "", "/* Indices of the instructions in the table. */", "enum {"]
    rows = first_of_each(grammar["instructions"], "opcode")
    lines += [f"    SIM_ROW_{row['opname']}," for row in rows]
    lines += ["    SIM_ROW_COUNT", "};", "", "typedef enum sim_operand_kind {"]
    lines += [f"    SIM_KIND_{kind['kind']}," for kind in grammar["operand_kinds"]]
    lines += ["    SIM_KIND_COUNT", "} sim_operand_kind;"]
    for kind in grammar["operand_kinds"]:
        if kind.get("enumerants"):
            lines += ["", f"typedef enum sim_{kind['kind']} {{"]
            lines += [f"    SIM_{kind['kind']}{name} = {row['value']},"
                      for row in kind["enumerants"] for name in names_of(row, "enumerant")]
            lines += [f"}} sim_{kind['kind']};"]
    rows = first_of_each(extended["instructions"], "opcode")
    lines += ["", "/* Instructions of the set OpenCL.std, and their indices in the table. */",
              "typedef enum sim_std {"]
    lines += [f"    SIM_STD_{row['opname']} = {row['opcode']}," for row in rows]
    lines += ["} sim_std;", "enum {"]
    lines += [f"    SIM_STD_ROW_{row['opname']}," for row in rows]
    lines += ["    SIM_STD_ROW_COUNT", "};", "", "#endif"]
    return lines


def tables(grammar, extended):
    """Returns the lines of sim_spirv_rows.inc; the includer defines the macros that it needs."""
    pool = Pool()
    pairs = {kind["kind"] for kind in grammar["operand_kinds"] if kind["category"] == "Composite"}
    rows = instruction_rows(grammar, pool, pairs)
    kinds, enumerants = kind_rows(grammar, pool)
    lines = ["/* Generated by generate_opcodes.py from the SPIR-V grammar. */", *rows,
             *extended_rows(extended)]
    for macro, part in (("SIM_KIND", kinds), ("SIM_ENUMERANT", enumerants),
                        ("SIM_OPERAND", pool.rows)):
        lines += [f"#ifdef {macro}", *part, f"#undef {macro}", "#endif"]
    return lines


def version_number(text):
    """Returns 0x104 for "1.4", 0 for every version, and 0xffff for none (an extension adds it)."""
    if text is None or text == "1.0":
        return 0
    major, _, minor = text.partition(".")
    return 0xFFFF if text == "None" else int(major) << 8 | int(minor)


def needs(grammar):
    """Returns the lines of sim_spirv_needs.inc, with pools of alternative capabilities and extensions."""
    capabilities, extensions, opcodes, enumerants = [], [], [], []

    def row_of(row):
        firsts = len(capabilities), len(extensions)
        capabilities.extend(f"SIM_NEED_CAPABILITY({name})" for name in row.get("capabilities", []))
        extensions.extend(f"SIM_NEED_EXTENSION(\"{name}\")" for name in row.get("extensions", []))
        counts = len(capabilities) - firsts[0], len(extensions) - firsts[1]
        version = version_number(row.get("version"))
        if counts == (0, 0) and version in (0, 0xFFFF):
            return None
        return f"{firsts[0]}, {counts[0]}, {firsts[1]}, {counts[1]}, {version}"

    for row in first_of_each(grammar["instructions"], "opcode"):
        text = row_of(row)
        if text:
            opcodes.append(f"SIM_NEED_OPCODE({row['opcode']}, {text})")
    for kind in grammar["operand_kinds"]:
        for row in first_of_each(kind.get("enumerants", []), "value"):
            text = row_of(row)
            if text:
                enumerants.append(f"SIM_NEED_ENUMERANT({kind['kind']}, {number(row['value'])}u, {text})")
    lines = ["/* Generated by generate_opcodes.py from the SPIR-V grammar. */"]
    for macro, part in (("SIM_NEED_CAPABILITY", capabilities), ("SIM_NEED_EXTENSION", extensions),
                        ("SIM_NEED_OPCODE", opcodes), ("SIM_NEED_ENUMERANT", enumerants)):
        lines += [f"#ifdef {macro}", *part, f"#undef {macro}", "#endif"]
    return lines


def main(arguments):
    supplement, semantics, core, standard, directory = map(pathlib.Path, arguments)
    semantics = semantics.read_text("utf-8")
    grammar = merged(json.loads(core.read_text("utf-8")), json.loads(supplement.read_text("utf-8")))
    grammar = named_as_in(grammar, semantics)
    extended = json.loads(standard.read_text("utf-8"))
    directory.mkdir(parents=True, exist_ok=True)
    for name, lines in (("sim_spirv.h", header(grammar, extended)),
                        ("sim_spirv_rows.inc", tables(grammar, extended)),
                        ("sim_spirv_needs.inc", needs(grammar)),
                        ("sim_semantics.inc", semantics_rows(grammar, semantics))):
        (directory / name).write_text("\n".join(lines) + "\n", "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
