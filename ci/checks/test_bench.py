#!/usr/bin/env python3
"""Checks that ci/bench builds a program that a build without tests leaves out, and says what to do if it cannot."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "ci"))
import bench_programs  # noqa: E402

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(sample LANGUAGES NONE)
add_custom_target(bench_sample COMMAND ${CMAKE_COMMAND} -E touch ${CMAKE_BINARY_DIR}/bench_sample)
"""


def refusal(path):
    try:
        bench_programs.program(path)
    except SystemExit as end:
        return str(end)
    sys.exit(f"{path} was not refused")


def main():
    with tempfile.TemporaryDirectory(prefix="assay-bench-") as temporary:
        folder = pathlib.Path(temporary)
        (folder / "CMakeLists.txt").write_text(PROJECT)
        build = folder / "build"
        if "ci/quickstart builds assay" not in refusal(build / "bench_sample"):
            sys.exit("a program without a build is not refused with what to do")
        subprocess.run(["cmake", "-G", "Ninja", "-S", folder, "-B", build], check=True, stdout=subprocess.DEVNULL)
        if bench_programs.program(build / "bench_sample") != str((build / "bench_sample").resolve()):
            sys.exit("a program that is missing from a build is not built")
        if "-DBUILD_TESTING=ON" not in refusal(build / "bench_other"):
            sys.exit("a program without a target is not refused with what to do")


main()
