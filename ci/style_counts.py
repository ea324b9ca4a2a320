"""What ci/style counts in the C files of a folder.  `count` is the entry; its result is what --json writes."""
import collections
import os
import re

import source_text

# Subfolders without product code; most rows of the table include fuzz/, the product lines do not.
TESTS = re.compile(r"/test/")
TESTS_AND_FUZZERS = re.compile(r"/(test|fuzz)/")
COUNTED = (".c", ".h", ".cpp", ".inc")
PRODUCT = COUNTED + (".def",)
OTHER_PRODUCT = (".py", ".js", ".cl", ".clh")

LONG_FUNCTION = 70
LONG_MACRO = 10
DUPLICATE_LINES = 8

ASSERTION = re.compile(r"\b(CHECK|CHECK_SLOW|CHECK_IMPLIES|_Static_assert|static_assert)\s*\(")
# One side of && or ||: an object, its negation, or its comparison with NULL.
OBJECT = r"[*&]*\(?[*&]*[A-Za-z_]\w*(?:(?:->|\.)\w+|\[[^\[\]]*\])*\)?"
POINTER_TEST = re.compile(rf"(?:!*\s*(?P<name>{OBJECT})|{OBJECT}\s*[!=]=\s*NULL|NULL\s*[!=]=\s*{OBJECT})")
STATE_NAME = re.compile(r"^(is|has|can|was|needs|are)_|_(is|has|can|was|needs|are)_")

KEYWORDS = set("break case const continue default do else enum for goto if return sizeof static struct switch union "
               "while".split())

PARSERS = {
    "decimal digits": re.compile(r"-\s*'0'"),
    "hexadecimal digits": re.compile(r"'[aA]'\s*\+\s*10|-\s*'[aA]'|0123456789[aA][bB][cC]"),
    "UTF-8": re.compile(r"&\s*0x[cC]0\b|0x[cC]0\s*\||<\s*0x80\b|>=\s*0x80\b|&\s*0x80\b|&\s*0x3[fF]\b.*0x80"),
    "C library": re.compile(r"\b(?:strto(?:l|ll|ul|ull|d|f|ld|imax|umax)|atoi|atol|sscanf)\s*\("),
}


def is_below(name, folder):
    return name.startswith(folder.rstrip("/") + "/")


def functions_of(code):
    """Yields (name, is_static, first line, last line) for every function of stripped code without directives.

    The tree is formatted with clang-format, so the braces of functions and namespaces, and no others, are alone
    on a line, in its first column."""
    for match in re.finditer(r"^\{$.*?^\}", code, re.MULTILINE | re.DOTALL):
        yield from function_at(code, match.start(), match.end())


def function_at(code, brace, end):
    lines = code[:brace].rstrip().split("\n")
    start = next((i for i in range(len(lines) - 1, -1, -1) if re.match(r"[A-Za-z_]", lines[i])), 0)
    if start > 0 and re.match(r"\w+\(", lines[start]) and re.match(r"[A-Za-z_].*[\w*]$", lines[start - 1]):
        start -= 1  # the return type is on a separate line
    head = re.sub(r"__attribute__\s*\(\(.*?\)\)", "", "\n".join(lines[start:]))
    if re.match(r"(extern|inline namespace|namespace|class|struct|template)\b[^(]*$", head):
        inner = code.find("\n{\n", brace + 1, end)
        if inner >= 0:
            yield from function_at(code, inner + 1, end)
        return
    name = re.search(r"([A-Za-z_]\w*)\s*\(", head)
    if name:
        first = start + 1 + head.count("\n", 0, name.start())
        yield name.group(1), bool(re.match(r"\s*(\w+\s+)*static\b", head)), first, source_text.line_of(code, end)


def argument_of(code, opening):
    """The text between the bracket at `opening` and the one that closes it."""
    depth = 0
    for offset in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[offset], 0)
        if depth == 0:
            return code[opening + 1:offset]
    return code[opening + 1:]


def is_pointer_test(condition, flags):
    """True if a condition only tests objects for NULL or truth.  `flags` are names that are declared bool and
    never as a pointer: testing one of them is a claim about a state."""
    for operand in re.split(r"&&|\|\|", " ".join(condition.split())):
        match = POINTER_TEST.fullmatch(operand.strip().strip("()"))
        if not match:
            return False
        last = re.findall(r"\w+", match.group("name") or "")
        if last and (last[-1] in flags or STATE_NAME.search(last[-1])):
            return False
    return True


def flag_names(texts):
    """The names that the tree declares as bool and nowhere as a pointer."""
    booleans, pointers = set(), set()
    for text in texts:
        for names in re.findall(r"\bbool\s+([A-Za-z_][\w\s,]*)[;=,)\[:]", text):
            booleans.update(re.findall(r"\w+", names))
        pointers.update(re.findall(r"\*\s*(?:const\s+)?([A-Za-z_]\w*)\s*[;=,)\[]", text))
    return booleans - pointers


def macros_of(code):
    """Yields (name, line, lines) for every macro that is longer than a line."""
    for match in re.finditer(r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:[^\n]*\\\n)+[^\n]*", code, re.MULTILINE):
        yield match.group(1), source_text.line_of(code, match.start()), match.group(0).count("\n") + 1


def quantile(values, share):
    return values[min(int(share * len(values)), len(values) - 1)] if values else 0


class File:
    """A C file, read and stripped once."""

    def __init__(self, root, name):
        self.name = name
        self.text = source_text.read_text(root, name) or ""
        self.code = source_text.c_code(self.text)
        self.plain = source_text.without_directives(self.code)
        self.lines = self.text.count("\n")
        self.is_product = not TESTS_AND_FUZZERS.search("/" + name)


def code_lines(code):
    return sum(1 for line in code.split("\n") if line.strip())


def script_lines(root, name):
    """The number of lines of a script or kernel that contain more than comments and blanks."""
    text = source_text.read_text(root, name) or ""
    if name.endswith(".py"):
        text = re.sub(r'^\s*""".*?"""', lambda match: source_text.blanked(match.group(0)), text, flags=re.M | re.S)
        return sum(1 for line in text.split("\n") if line.strip() and not line.strip().startswith("#"))
    return code_lines(source_text.c_code(text))


class Tree:
    """The files of a tree, read on demand."""

    def __init__(self, root):
        self.root = root
        self.names = source_text.tree_files(root)
        self.files = {}
        self._flags = None

    def file(self, name):
        if name not in self.files:
            self.files[name] = File(self.root, name)
        return self.files[name]

    def below(self, folders, suffixes, left_out):
        return [name for name in self.names if name.endswith(suffixes) and not left_out.search("/" + name)
                and any(is_below(name, folder) for folder in folders)]

    def flags(self):
        if self._flags is None:
            self._flags = flag_names(self.file(name).code for name in self.names
                                     if name.endswith(COUNTED) and not TESTS.search("/" + name))
        return self._flags


def count_functions(files):
    lengths, longest, statics, single = [], [], 0, []
    for file in files:
        for name, is_static, first, last in functions_of(file.plain):
            length = last - first + 1
            lengths.append(length)
            longest.append((length, f"{file.name}:{first}", name))
            if is_static:
                statics += 1
                if len(re.findall(rf"\b{name}\b", file.code)) == 2:
                    single.append([f"{file.name}:{first}", name, length])
    lengths.sort()
    longest.sort(key=lambda row: (-row[0], row[1]))
    return {
        "functions": len(lengths),
        "function_lines": {str(share): quantile(lengths, share / 100) for share in (50, 75, 90, 99)},
        "longest_function": list(longest[0]) if longest else None,
        "long_functions": [list(row) for row in longest if row[0] > LONG_FUNCTION],
        "all_functions": [list(row) for row in longest],
        "static_functions": statics,
        "single_caller_functions": single,
    }


def count_assertions(files, flags):
    kinds, pointer_tests = collections.Counter(), []
    for file in files:
        for match in ASSERTION.finditer(file.code):
            kinds[match.group(1)] += 1
            condition = argument_of(file.code, match.end() - 1)
            if match.group(1) in ("CHECK", "CHECK_SLOW") and is_pointer_test(condition, flags):
                pointer_tests.append([f"{file.name}:{source_text.line_of(file.code, match.start())}",
                                      " ".join(condition.split())])
    return {"assertions": dict(sorted(kinds.items())), "pointer_assertions": pointer_tests}


def count_comments(files):
    characters = sum(len(file.text) for file in files)
    comments = sum(len(token) for file in files for kind, _, token in source_text.c_tokens(file.text)
                   if kind == "comment")
    return {"characters": characters, "comment_characters": comments}


def count_macros(files):
    found = [(name, f"{file.name}:{line}", lines) for file in files for name, line, lines in macros_of(file.code)]
    return {
        "macro_lines": sum(lines for _, _, lines in found),
        "long_macros": sorted(([place, name, lines] for name, place, lines in found if lines > LONG_MACRO),
                              key=lambda row: -row[2]),
    }


def count_marks(files):
    """Finds goto, and the marks of unfinished work."""
    found = {"goto": [], "todo": []}
    for file in files:
        for match in re.finditer(r"\bgoto\b", file.code):
            found["goto"].append(f"{file.name}:{source_text.line_of(file.code, match.start())}")
        for kind, offset, token in source_text.c_tokens(file.text):
            if kind == "comment" and re.search(r"\b(TODO|FIXME|XXX|HACK)\b", token):
                found["todo"].append(f"{file.name}:{source_text.line_of(file.text, offset)}")
    return found


def equal_lines(file):
    """Yields (line number, text) for the lines that count when blocks are compared literally."""
    code = source_text.c_code(file.text, keep_strings=True)
    for number, line in enumerate(code.split("\n"), 1):
        text = "".join(line.split())
        if re.search(r"\w", text) and not text.startswith("#include"):
            yield number, text


def shape_lines(file):
    """Yields (line number, text) for the lines of functions, with names, numbers and strings made equal; a None
    ends each function."""
    for _, _, first, last in functions_of(file.plain):
        for number, line in enumerate(file.plain.split("\n")[first - 1:last], first):
            text = re.sub(r"[A-Za-z_]\w*", lambda match: match.group(0) if match.group(0) in KEYWORDS else "n", line)
            text = "".join(re.sub(r"\b0[xX][0-9a-fA-F]+\b|\b\d[\w.]*", "0", text).split())
            if re.search(r"\w", text):
                yield number, text
        yield last, None


def count_duplicates(files, lines_of):
    """Returns the blocks of equal lines in two places, (place, place, lines), each as long as possible."""
    first_seen, blocks = {}, []
    for file in files:
        lines, runs = list(lines_of(file)), {}
        for index in range(len(lines) - DUPLICATE_LINES + 1):
            window = tuple(text for _, text in lines[index:index + DUPLICATE_LINES])
            if None in window or len(set(window)) < DUPLICATE_LINES // 2:
                continue
            other = first_seen.setdefault(window, (file.name, index, lines))
            if other[0] == file.name and index - other[1] < DUPLICATE_LINES:
                continue
            run = runs.get((other[0], other[1] - index))
            if run and run[1] == index - 1:
                run[1] = index
            else:
                runs[other[0], other[1] - index] = run = [index, index]
                blocks.append((other, file.name, lines, run))
    found = [[f"{name}:{other_lines[start][0]}", f"{here}:{lines[run[0]][0]}", run[1] - run[0] + DUPLICATE_LINES]
             for (name, start, other_lines), here, lines, run in blocks]
    return sorted(found, key=lambda row: (-row[2], row[0], row[1]))


def function_around(functions, line):
    return next((name for name, _, first, last in functions if first <= line <= last), "")


def count_parsers(files):
    """Finds functions that appear to parse numbers or characters by hand."""
    found = set()
    for file in files:
        code = source_text.c_code(file.text, keep_strings=True)
        functions = None
        for kind, pattern in PARSERS.items():
            for match in pattern.finditer(code):
                functions = functions if functions is not None else list(functions_of(file.plain))
                line = source_text.line_of(code, match.start())
                name = function_around(functions, line)
                first = next((f for n, _, f, l in functions if n == name and f <= line <= l), line)
                found.add((f"{file.name}:{first}", name, kind))
    return {"parsers": [list(row) for row in sorted(found)]}


def folder_of(name):
    return os.path.dirname(re.sub(r"/(test|fuzz)/.*", "/x", name))


def include_edges(tree, names):
    """{folder: folders whose headers it includes}, without tests."""
    known, edges = set(tree.names), collections.defaultdict(set)
    for name in names:
        file = tree.file(name)
        for header in re.findall(r'^\s*#\s*include\s+"([^"]+)"', file.text, re.MULTILINE):
            if header in known and folder_of(header) != folder_of(name):
                edges[folder_of(name)].add(folder_of(header))
    return edges


def cycles_of(edges):
    """The groups of nodes that can reach each other, each sorted; those of one node are left out."""
    reach = {}
    for start in edges:
        seen, todo = set(), list(edges[start])
        while todo:
            node = todo.pop()
            if node not in seen:
                seen.add(node)
                todo.extend(edges.get(node, ()))
        reach[start] = seen
    groups = {tuple(sorted({start} | {node for node in reach[start] if start in reach.get(node, ())}))
              for start in edges if start in reach[start]}
    return [list(group) for group in sorted(groups)]


def count(tree, folders):
    """All counts of ci/style for the given folders together."""
    files = [tree.file(name) for name in tree.below(folders, COUNTED, TESTS)]
    product = tree.below(folders, PRODUCT, TESTS_AND_FUZZERS)
    others = tree.below(folders, OTHER_PRODUCT, TESTS_AND_FUZZERS)
    result = {
        "files": len(files),
        "lines": sum(file.lines for file in files),
        "product_lines": sum(code_lines(tree.file(name).code) for name in product),
        "other_product_lines": sum(script_lines(tree.root, name) for name in others),
    }
    result.update(count_functions(files))
    result.update(count_assertions(files, tree.flags()))
    result.update(count_comments(files))
    result.update(count_macros(files))
    result.update(count_marks(files))
    result["duplicates"] = count_duplicates(files, equal_lines)
    result["same_shape"] = count_duplicates(files, shape_lines)
    result.update(count_parsers([file for file in files if file.is_product]))
    result["include_cycles"] = cycles_of(include_edges(tree, [name for name in tree.below(folders, COUNTED, TESTS_AND_FUZZERS)]))
    return result
