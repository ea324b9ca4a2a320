"""Writes the templates of `assay new` as a table in C.

usage: embed_templates.py OUT TEMPLATE.yaml...
"""
import json
import pathlib
import sys

rows = []
for name in sys.argv[2:]:
    path = pathlib.Path(name)
    # A JSON string in ASCII is also a C string; the templates are ASCII.
    lines = [json.dumps(line) for line in path.read_text(encoding="ascii").splitlines(keepends=True)]
    rows.append('{"%s",\n %s},\n' % (path.stem, "\n ".join(lines)))
pathlib.Path(sys.argv[1]).write_text("".join(rows), encoding="ascii")
