"""The score of a run, its survivors, and the reviewed survivors of ci/mutants.yaml."""
import collections
import datetime
import math

import yaml

from mutate_generate import OPERATORS
from mutate_run import KILLED, SURVIVED, UNIT, UNREACHED

KEY = ("file", "function", "operator", "original", "mutated")
EQUIVALENT, OPEN = "equivalent", "open"
CLASSES = (EQUIVALENT, "message-only", "performance-only", "other-configuration", OPEN)


class Reviewed:
    """The entries of ci/mutants.yaml."""

    def __init__(self, path):
        self.path = path
        self.entries = {}
        self.problems = []
        rows = yaml.safe_load(path.read_text(encoding="utf-8")) if path.is_file() else None
        for i, row in enumerate(rows or (), 1):
            problem = self.problem(row)
            if problem:
                self.problems.append(f"{path.name}: entry {i}: {problem}")
                continue
            key = (*(str(row[name]) for name in KEY), row.get("nth", 1))
            if key in self.entries:
                self.problems.append(f"{path.name}: entry {i}: the same mutant as an entry before")
            self.entries[key] = row

    @staticmethod
    def problem(row):
        """What is wrong with the form of an entry, or None."""
        if not isinstance(row, dict):
            return "expected a mapping"
        wanted = {*KEY, "class"} | ({"scenario", "date"} if row.get("class") == OPEN else {"reason"})
        missing, unknown = sorted(wanted - set(row)), sorted(set(row) - wanted - {"nth"})
        if missing or unknown:
            return (f"'{missing[0]}' is missing" if missing else f"unknown key '{unknown[0]}'")
        if row["class"] not in CLASSES:
            return f"unknown class '{row['class']}'; expected one of: {', '.join(CLASSES)}"
        if row["operator"] not in OPERATORS:
            return f"unknown operator '{row['operator']}'; expected one of: {', '.join(OPERATORS)}"
        if row["class"] == OPEN and not isinstance(row["date"], datetime.date):
            return "date: expected a date, such as 2026-01-31"
        return None

    def class_of(self, key):
        row = self.entries.get(tuple(key))
        return row["class"] if row else None

    def is_equivalent(self, key):
        return self.class_of(key) == EQUIVALENT

    def check(self, mutants):
        """Problems of the form, and entries that fit none of the mutants."""
        keys = {mutant.key for mutant in mutants}
        return self.problems + [f"{self.path.name}: no mutant fits the entry {place(key)}"
                                for key in self.entries if key not in keys]

    def contradicted(self, rows):
        """Entries of mutants that scenarios notice, or that are called equivalent although a unit test notices them."""
        found = []
        for row in rows:
            entry = self.class_of(row["key"])
            by = row["by"] if row["result"] in KILLED else row.get("unit") if entry == EQUIVALENT else None
            if entry and by:
                found.append(f"{self.path.name}: {place(row['key'])} is killed by {by}; remove the entry")
        return found

    def lost(self, rows, earlier):
        """Survivors without an entry that an earlier run killed; `earlier` is {key: by what}."""
        return [f"{place(row['key'])} was killed by {earlier[tuple(row['key'])]} in an earlier run, and survives"
                for row in rows if row["result"] not in KILLED and tuple(row["key"]) in earlier
                and not self.class_of(row["key"])]


def place(key):
    return f"{key[0]}, {key[1]}, {key[2]}: {key[3]} => {key[4]}" + (f" ({key[5]})" if key[5] > 1 else "")


def wilson(count, total):
    """The 95 % interval of a proportion, in percent."""
    if total == 0:
        return 0.0, 100.0
    z = 1.959964
    share, square = count / total, z * z
    middle = (share + square / (2 * total)) / (1 + square / total)
    half = z * math.sqrt(share * (1 - share) / total + square / (4 * total * total)) / (1 + square / total)
    return max(0.0, 100 * (middle - half)), min(100.0, 100 * (middle + half))


class Score:
    def __init__(self):
        self.counts = collections.Counter()
        self.equivalent = self.units = 0

    def add(self, row, reviewed):
        self.counts[row["result"]] += 1
        is_survivor = row["result"] not in KILLED
        is_equivalent = is_survivor and reviewed.is_equivalent(row["key"])
        self.equivalent += is_equivalent
        self.units += is_survivor and not is_equivalent and row.get("unit") is not None

    @property
    def killed(self):
        return sum(self.counts[kind] for kind in KILLED)

    @property
    def total(self):
        return sum(self.counts.values()) - self.equivalent

    @property
    def is_of_units(self):
        """True if unit tests judged first: then scenarios have no score of their own."""
        return self.counts[UNIT] > 0

    @property
    def interval(self):
        """In percent; of the scenarios' score, or of both together where unit tests judged first."""
        return wilson(self.killed + self.is_of_units * self.units, self.total)

    def cells(self):
        low, high = self.interval
        return ["-" if self.is_of_units else percent(self.killed, self.total), f"{low:.0f}-{high:.0f}",
                f"{self.killed}/{self.total}", *(str(self.counts[kind]) for kind in KILLED),
                str(self.counts[SURVIVED]), str(self.counts[UNREACHED]), str(self.equivalent),
                str(self.units), percent(self.killed + self.units, self.total)]


def percent(count, total):
    return f"{100 * count / total:.0f} %" if total else "-"


def score_of(rows, reviewed):
    score = Score()
    for row in rows:
        score.add(row, reviewed)
    return score


HEAD = ["", "score", "95 %", "killed", *(f"by {kind}" for kind in KILLED), "survived", "unreached", "equivalent",
        "by unit tests", "with them"]


def folder_of(name):
    return name.rsplit("/", 1)[0]


def table(rows, reviewed, group):
    scores = collections.defaultdict(Score)
    for row in rows:
        scores[group(row)].add(row, reviewed)
    return [[name, *score.cells()] for name, score in sorted(scores.items())]


def table_text(lines):
    widths = [max(len(line[i]) for line in lines) for i in range(len(lines[0]))]
    return "\n".join("  ".join([line[0].ljust(widths[0]), *(cell.rjust(w) for cell, w in zip(line[1:], widths[1:]))])
                     .rstrip() for line in lines)


def survivor_text(row, mutant, reviewed):
    """A mutant that no scenario noticed, for people."""
    entry = reviewed.entries.get(tuple(row["key"]))
    text = [f"{mutant.file}:{mutant.line}: {mutant.function}: {mutant.operator} ({row['result']}"
            + (f", {row['scenarios']} scenarios" if row["scenarios"] else "")
            + (f", noticed by {row['unit']}" if row.get("unit") else "") + ")",
            f"    - {mutant.original}", f"    + {mutant.mutated}"]
    if entry:
        text.append(f"    {entry['class']}: " + (f"{entry['date']}, {entry['scenario']}" if entry["class"] == OPEN
                                                 else str(entry["reason"])))
    return "\n".join(text)


def report(rows, mutants, reviewed):
    """The whole report as text; `mutants` is {number: mutant}."""
    parts = [table_text([HEAD, *table(rows, reviewed, lambda row: folder_of(row["key"][0])),
                         *table(rows, reviewed, lambda row: "together")]),
             table_text([HEAD, *table(rows, reviewed, lambda row: row["key"][2])])]
    left = [row for row in rows if row["result"] not in (*KILLED, UNIT)]
    left.sort(key=lambda row: (row["key"][0], row["line"], row["key"]))
    is_new = [row for row in left if not reviewed.class_of(row["key"])]
    for title, chosen in (("not reviewed", [row for row in is_new if not row.get("unit")]),
                          ("noticed by unit tests alone", [row for row in is_new if row.get("unit")]),
                          ("reviewed", [row for row in left if reviewed.class_of(row["key"])])):
        if chosen:
            parts.append(f"Survivors, {title}: {len(chosen)}\n" +
                         "\n".join(survivor_text(row, mutants[row["number"]], reviewed) for row in chosen))
    holes = sorted((row for row in reviewed.entries.values() if row["class"] == OPEN), key=lambda row: str(row["date"]))
    if holes:
        parts.append(f"Open holes, the oldest first: {len(holes)}\n" + "\n".join(
            f"{row['date']} {place([*(row[name] for name in KEY), row.get('nth', 1)])}\n    {row['scenario']}"
            for row in holes))
    return "\n\n".join(parts)
