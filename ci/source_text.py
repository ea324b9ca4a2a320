"""The files of a tree, and the comments, strings and code in them.  ci/style and ci/check_words.py build on it."""
import io
import pathlib
import re
import subprocess
import tokenize

C_SUFFIXES = (".c", ".h", ".cpp", ".inc")
C_LIKE_SUFFIXES = C_SUFFIXES + (".def", ".cl", ".clh", ".js")
HASH_SUFFIXES = (".py", ".sh", ".cmake", ".yaml", ".txt")

C_TOKEN = re.compile(r"""
      (?P<comment> /\*.*?\*/ | //[^\n]* )
    | (?P<raw>     R"(?P<mark>[^(\s]*)\(.*?\)(?P=mark)" )
    | (?P<string>  "(?:\\.|[^"\\\n])*" )
    | (?P<char>    '(?:\\.|[^'\\\n])*' )""", re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
ESCAPES = {"n": "\n", "t": "\t", "\\": "\\", '"': '"', "'": "'", "0": "\0", "r": "\r"}


def tree_files(root):
    """The files of a tree that git tracks or would not ignore, as paths relative to its root."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
                            check=True, capture_output=True).stdout.decode("utf-8")
    return sorted(name for name in set(listed.split("\0")) if name and (pathlib.Path(root) / name).is_file())


def read_text(root, name):
    """The text of a file, or None if it is binary."""
    data = (pathlib.Path(root) / name).read_bytes()
    return None if b"\0" in data else data.decode("utf-8", errors="replace")


def blanked(text):
    """Replaces everything but line ends by spaces, so that offsets and lines stay the same."""
    return re.sub(r"[^\n]", " ", text)


def c_tokens(text):
    """Yields (kind, offset, text) for every comment, string and character constant."""
    for match in C_TOKEN.finditer(text):
        kind = match.lastgroup if match.lastgroup != "mark" else "raw"
        yield ("string" if kind == "raw" else kind), match.start(), match.group(0)


def c_code(text, keep_strings=False):
    """The text with comments blanked and, unless `keep_strings`, the contents of strings too."""
    parts, end = [], 0
    for kind, offset, token in c_tokens(text):
        parts.append(text[end:offset])
        if kind == "comment":
            parts.append(blanked(token))
        else:
            parts.append(token if keep_strings else token[0] + blanked(token[1:-1]) + token[-1])
        end = offset + len(token)
    return "".join(parts) + text[end:]


def without_directives(code):
    """The code without preprocessor lines and the macros that they define."""
    return DIRECTIVE.sub(lambda match: blanked(match.group(0)), code)


def line_of(text, offset):
    return text.count("\n", 0, offset) + 1


def c_comment_text(token):
    """The text of a comment without its marks; line breaks are kept."""
    if token.startswith("//"):
        return re.sub(r"^[ \t]*//+ ?", "", token, flags=re.MULTILINE).rstrip()
    return re.sub(r"^[ \t]*\*(?: |$)", "", token[2:-2].strip("*"), flags=re.MULTILINE).strip(" \t").rstrip()


def c_string_text(token):
    return re.sub(r"\\(.)", lambda match: ESCAPES.get(match.group(1), match.group(0)), token[1:-1], flags=re.DOTALL)


def c_pieces(text):
    """Yields (kind, line, text) for comments and strings; adjacent strings or // lines are one piece."""
    pending = None
    for kind, offset, token in c_tokens(text):
        if kind == "char":
            continue
        said = c_comment_text(token) if kind == "comment" else c_string_text(token)
        if pending and pending[0] == kind and not text[pending[3]:offset].strip() and (
                kind == "string" or (token.startswith("//") and text.count("\n", pending[3], offset) <= 1)):
            pending = (kind, pending[1], pending[2] + ("" if kind == "string" else "\n") + said, offset + len(token))
            continue
        if pending:
            yield pending[:3]
        pending = (kind, line_of(text, offset), said, offset + len(token))
    if pending:
        yield pending[:3]


def hash_pieces(text):
    """Yields (kind, line, text) for the # comments of scripts, CMake and YAML; consecutive lines are one piece."""
    block, start = [], 0
    lines = text.split("\n") + [""]
    for number, line in enumerate(lines, 1):
        whole = re.match(r"\s*#(?: (.*)|$)", line)
        if whole:
            start = start or number
            block.append(whole.group(1) or "")
            continue
        if block:
            yield "comment", start, "\n".join(block).rstrip()
            block, start = [], 0
        after = re.search(r"\s# (.*)", line)
        if after and not re.search(r"""["'`]""", after.group(1)):
            yield "comment", number, after.group(1).strip()


def python_pieces(text):
    """Comments, docstrings and strings of Python; comments on consecutive lines are one piece."""
    block, start, end = [], 0, 0
    begins_block = True
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        line = token.start[0]
        if token.type == tokenize.COMMENT and not token.string.startswith("#!"):
            is_whole_line = not token.line[:token.start[1]].strip()
            if block and not (is_whole_line and line == end + 1):
                yield "comment", start, "\n".join(block).rstrip()
                block = []
            start, end = start if block else line, line
            block.append(token.string[1:].removeprefix(" "))
        elif token.type == tokenize.STRING:
            said = re.sub(r"\A[rbf]*(\"{3}|\"|')|(\"{3}|\"|')\Z", "", token.string)
            yield ("comment" if begins_block and token.string.startswith('"""') else "string"), line, said.rstrip()
        if token.type not in (tokenize.COMMENT, tokenize.NL):
            begins_block = token.type == tokenize.INDENT
    if block:
        yield "comment", start, "\n".join(block).rstrip()


def yaml_pieces(text):
    """The comments of a YAML file, and its summaries, reasons and readings."""
    yield from hash_pieces(text)
    key = re.compile(r"^(?P<indent>[ ]*)(?:- )?(?:summary|reason|reading):[ ]+(?P<first>[^\n]*)\n"
                     r"(?P<rest>(?:(?P=indent)[ ]+[^\n]*\n)*)", re.MULTILINE)
    for match in key.finditer(text):
        first = "" if re.fullmatch(r"[>|][-+]?", match.group("first")) else match.group("first")
        said = "\n".join([first] + [line.strip() for line in match.group("rest").splitlines()]).rstrip()
        yield "comment", line_of(text, match.start()), said.strip("\"'")


def is_script(name, text):
    return text.startswith("#!") and re.match(r"#!.*\b(bash|sh|python3?)\b", text) is not None


def is_python(name, text):
    return name.endswith(".py") or re.match(r"#!.*\bpython3?\b", text) is not None


def pieces(name, text):
    """Yields (kind, line, text) for the prose of a file: comments, and strings where the language has them."""
    if name.endswith(C_LIKE_SUFFIXES):
        yield from c_pieces(text)
    elif is_python(name, text):
        yield from python_pieces(text)
    elif name.endswith(".yaml"):
        yield from yaml_pieces(text)
    elif name.endswith(HASH_SUFFIXES) or is_script(name, text):
        yield from hash_pieces(text)
