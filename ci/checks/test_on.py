#!/usr/bin/env python3
"""Checks what ci/on refuses before it makes or enters a root, and what it prints."""
import os
import pathlib
import subprocess
import sys
import tempfile

ON = pathlib.Path(__file__).resolve().parent.parent / "on"
# Arguments, the exit status, and part of what is printed.
CASES = [
    (["--help"], 0, "ci/on [OPTION]… RELEASE COMMAND"),
    ([], 2, "needs a release and a command"),
    (["trixie"], 2, "needs a command to run in trixie"),
    (["trixy", "true"], 2, "unknown release 'trixy'; expected one of: bookworm, trixie, sid"),
    (["--relaese", "trixie", "true"], 2, "--relaese: unknown option"),
    (["--mirror"], 2, "--mirror: needs a value"),
    (["--env", "A-B", "trixie", "true"], 2, "--env A-B: is not the name of a variable"),
]
# The same without root privileges; and with a root that nothing can be made in, with them.
UNPRIVILEGED = [
    (["trixie", "true"], 3, "need root privileges; run it with sudo"),
    (["trixy", "true"], 2, "unknown release 'trixy'"),
]
PRIVILEGED = [
    (["--suite", "/none", "sid", "assay"], 2, "--suite /none: contains no scenarios.assay"),
    (["--suite", "/tmp", "sid", "true"], 2, "--suite: is for the command 'assay'"),
    (["--mirror", "file:/none", "trixie", "true"], 3, "debootstrap"),
]


def check(prefix, cases, environment):
    for arguments, status, text in cases:
        done = subprocess.run([*prefix, ON, *arguments], env=environment, stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60, check=False)
        if done.returncode != status or text not in done.stdout:
            sys.exit(f"ci/on {' '.join(arguments)}: status {done.returncode}, not {status}, or not \"{text}\":\n{done.stdout}")


def main():
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "XDG_CACHE_HOME": folder}
        check([], CASES, environment)
        if os.geteuid() != 0:
            check([], UNPRIVILEGED, environment)
            return
        check(["setpriv", "--reuid", "65534", "--clear-groups"], UNPRIVILEGED, environment)
        check([], PRIVILEGED, environment)
        made = [path.name for path in pathlib.Path(folder).rglob("*") if path.is_dir()]
        if made not in ([], ["assay", "roots"]):
            sys.exit(f"a refused run left folders: {made}")


if __name__ == "__main__":
    main()
