"""The syntax tree of a source file, as places in its text.  ci/mutate_generate.py builds on it.

libclang gives each node a range whose ends are tokens of the file: a token of a macro's argument is where the argument
is written, and a token of a macro's body is the whole use of the macro.  So a range is the text of its node exactly if
it cuts no use of a macro; Uses.hold says which ranges do.
"""
import bisect
import ctypes
import re
import os
import sys

import source_text

# Debian's package python3-clang-14 (or 19, 21) installs for Debian's own interpreter; another one may be first in PATH.
sys.path.append("/usr/lib/python3/dist-packages")
try:
    from clang import cindex
except ImportError:
    sys.exit("ci/mutate: the Python module clang.cindex is missing; ci/setup --with test installs python3-clang-14")

# The version that ci/setup installs in each release of Debian.
LIBRARIES = [f"/usr/lib/llvm-{version}/lib/libclang-{version}.so.1" for version in (14, 19, 21)]
Kind = cindex.CursorKind
Type = cindex.TypeKind


def library_open():
    """Returns clang_getFileLocation, which the Python module lacks."""
    if not cindex.Config.loaded:
        cindex.Config.set_library_file(next((path for path in LIBRARIES if os.path.exists(path)), LIBRARIES[0]))
    function = cindex.conf.lib.clang_getFileLocation
    number = ctypes.POINTER(ctypes.c_uint)
    function.argtypes = [cindex.SourceLocation, ctypes.POINTER(cindex.c_object_p), number, number, number]
    function.restype = None
    return function


class Source:
    """The text of a file.  It is decoded as Latin-1, so that an offset is a number of bytes, as in libclang."""

    def __init__(self, data):
        self.text = data.decode("latin-1")
        self.code = source_text.c_code(self.text)
        self.lines = [0] + [match.end() for match in re.finditer("\n", self.text)]

    def line_of(self, offset):
        return bisect.bisect_right(self.lines, offset)

    def said(self, start, end):
        return flat(self.text[start:end])


def flat(text):
    """A text on one line, without comments."""
    kept, at = [], 0
    for kind, offset, token in source_text.c_tokens(text):
        kept += [text[at:offset], " " if kind == "comment" else token]
        at = offset + len(token)
    return " ".join("".join([*kept, text[at:]]).split("\n")).strip()


def shown(text):
    """A text for people: in Unicode, and with single spaces outside strings."""
    parts, at = [], 0
    for _, offset, token in source_text.c_tokens(text):
        parts += [re.sub(r"\s+", " ", text[at:offset]), token]
        at = offset + len(token)
    parts.append(re.sub(r"\s+", " ", text[at:]))
    return "".join(parts).strip().encode("latin-1").decode("utf-8", errors="replace")


class Uses:
    """The uses of macros in a file."""

    def __init__(self, code, uses):
        self.code = code
        self.uses = sorted(set(uses))  # (start, end, name)
        self.ranges = {(start, end): name for start, end, name in self.uses}

    def around(self, start, end):
        """Names of the macros within whose arguments the range is."""
        return [name for s, e, name in self.uses if s < start and end < e]

    def within(self, start, end, name):
        return [(s, e) for s, e, n in self.uses if n == name and start <= s and e <= end]

    def hold(self, start, end):
        """True if the range is spelled as it is compiled: it cuts no use, and is not itself one."""
        if (start, end) in self.ranges or start >= end:
            return False
        is_argument = False
        for s, e, _ in self.uses:
            if s >= end:
                break
            if e <= start or (start <= s and e <= end):
                continue
            if not (s < start and end < e):
                return False
            is_argument = True
        return not is_argument or self.is_balanced(start, end)

    def is_balanced(self, start, end):
        """True if the range is within one argument."""
        depth = 0
        for character in self.code[start:end]:
            if character in "([{":
                depth += 1
            elif character in ")]}":
                depth -= 1
            if depth < 0 or (character == "," and depth == 0):
                return False
        return depth == 0


class Unit:
    """A parsed translation unit; `wanted(path)` returns the name of a file whose nodes matter, or None."""

    def __init__(self, path, arguments, wanted):
        self.location = library_open()
        self.wanted = wanted
        self.names = {}
        self.uses = {}  # {(name, start): end} of the uses of macros, once they are known
        self.unit = cindex.Index.create().parse(
            path, args=arguments, options=cindex.TranslationUnit.PARSE_DETAILED_PROCESSING_RECORD)
        errors = [d for d in self.unit.diagnostics if d.severity >= cindex.Diagnostic.Error]
        if errors:
            raise ValueError(f"{path} cannot be parsed: {errors[0]}")

    def place(self, location):
        """(path, offset) of a location in the files as written."""
        file, line, column, offset = cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.location(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset))
        if not file:
            return None, 0
        key = ctypes.cast(file, ctypes.c_void_p).value
        if key not in self.names:
            self.names[key] = self.wanted(cindex.File(file).name)
        return self.names[key], offset.value

    def range_of(self, cursor):
        """(name, start, end), or None if the node does not begin and end in one wanted file."""
        extent = cursor.extent
        name, start = self.place(extent.start)
        other, end = self.place(extent.end)
        # A node in a macro's argument whose last token is another macro's seems to end where that one begins.
        end = self.uses.get((other, end), end)
        return (name, start, end) if name and name == other else None

    def top(self):
        """Yields (cursor, range) for everything in wanted files outside all others."""
        for cursor in self.unit.cursor.get_children():
            where = self.range_of(cursor)
            if where:
                yield cursor, where
