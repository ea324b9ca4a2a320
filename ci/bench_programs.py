"""Finds the programs that ci/bench measures with, builds those that a build without tests leaves out, and times runs."""
import resource
import subprocess
import sys
import time
from pathlib import Path


def program(path):
    """The absolute path of a program; if it is missing from a build, its target is built."""
    file = Path(path).resolve()
    if file.exists():
        return str(file)
    build = file.parent
    if not (build / "CMakeCache.txt").exists():
        sys.exit(f"ci/bench: {path} does not exist; ci/quickstart builds assay in build/release, and --program and --assay name "
                 "the programs of another build")
    print(f"ci/bench: building {file.name} in {build}", file=sys.stderr)
    done = subprocess.run(["cmake", "--build", build, "--target", file.name], capture_output=True, text=True)
    if done.returncode != 0 or not file.exists():
        sys.exit(f"{(done.stdout + done.stderr)[-2000:]}ci/bench: {file.name} cannot be built in {build}; if it is a test's program, "
                 "configure with tests: cmake --preset release -DBUILD_TESTING=ON")
    return str(file)


def run_timed(words, statuses=(0,)):
    """What a program printed, and the wall and processor seconds of it and its children; another exit status ends ci/bench."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(words, capture_output=True, text=True)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode not in statuses:
        sys.exit(f"ci/bench: {Path(words[0]).name} ended with status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    return done.stdout, wall, after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
