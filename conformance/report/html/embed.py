"""Assembles the page of the report: inserts the style, the scripts and the script's hash into the template.
The hash is part of the page's content security policy; without it, a browser would not run the script.

usage: embed.py TEMPLATE STYLE SCRIPT… FOLDER

Writes FOLDER/page_head.inc and page_tail.inc, the parts before and after the data, as numbers for a C array.
"""
import base64
import hashlib
import pathlib
import sys


def write_bytes(path, text):
    """Writes the text's bytes as signed numbers, for an array of char."""
    data = text.encode("utf-8")
    lines = (data[at : at + 24] for at in range(0, len(data), 24))
    path.write_text(
        "".join(",".join(str(byte - 256 * (byte > 127)) for byte in line) + ",\n" for line in lines),
        encoding="ascii",
    )


def main():
    template, style, *scripts, folder = map(pathlib.Path, sys.argv[1:])
    script = '"use strict";\n' + "".join(path.read_text(encoding="utf-8") for path in scripts)
    if "</script" in script.lower():
        sys.exit("embed.py: a script of the page contains </script, which would end its element")
    digest = base64.b64encode(hashlib.sha256(script.encode("utf-8")).digest()).decode("ascii")
    page = template.read_text(encoding="utf-8")
    for mark, text in (("@HASH@", digest), ("@STYLE@", style.read_text(encoding="utf-8")), ("@SCRIPT@", script)):
        if page.count(mark) != 1:
            sys.exit(f"embed.py: {template} needs {mark} once")
        page = page.replace(mark, text)
    head, tail = page.split("@DATA@\n")
    folder.mkdir(parents=True, exist_ok=True)
    write_bytes(folder / "page_head.inc", head)
    write_bytes(folder / "page_tail.inc", tail)


main()
