"""Compiles and runs the reproductions of findings, for ci/checks/reproductions and ci/releases."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

import findings_records as records

SECONDS = 60
# The compilers that records name are those of one release of Debian.
VERSIONED = re.compile(r"\b(?:clang|llc|llvm-as|llvm-spirv|opt)-[0-9]+\b")
WITH_HEADERS = ("libsycl", "nvjitlink")  # whose headers come with the library
POCL, NVIDIA = "/etc/OpenCL/vendors/pocl.icd", "/etc/OpenCL/vendors/nvidia.icd"
CUDA = "/usr/lib/x86_64-linux-gnu/libcuda.so.1"
INTEL_GPU = "/usr/lib/x86_64-linux-gnu/libze_intel_gpu.so.1"


def linker_of(root):
    """NVIDIA's linker in an installation: that of ci/setup, or of a wheel."""
    found = sorted(pathlib.Path(root).glob("lib/libnvJitLink.so.[0-9][0-9]")) + \
        sorted(pathlib.Path(root).glob("lib/python*/site-packages/nvidia/*/lib/libnvJitLink.so.[0-9][0-9]"))
    return found[0].resolve() if found else None


def places_of(venv, driver):
    """{place: (a file that exists if it is installed, the environment)}; `driver` is the folder of Intel's CPU runtime."""
    intel = f"{driver}/lib/libintelocl.so"
    on_intel = {"OCL_ICD_VENDORS": intel, "OCL_ICD_FILENAMES": intel}
    on_gpu = dict(word.split("=") for word in records.PLACES["intel-gpu"][2].split())
    return {"pocl": (POCL, {"OCL_ICD_VENDORS": POCL}), "nvidia-opencl": (NVIDIA, {"OCL_ICD_VENDORS": NVIDIA}),
            "cuda": (CUDA, {}),
            "intel-cpu": (intel, on_intel), "libsycl": (f"{venv}/lib/libsycl.so", on_intel),
            "fusion": (f"{venv}/fusion/lib/libsycl-jit.so", {**on_intel, "FUSION": f"{venv}/fusion"}),
            "intel-gpu": (INTEL_GPU, on_gpu), "nvjitlink": (str(linker_of(venv)), {}), "tools": ("/", {})}


class Bench:
    """A folder with copies of all sources, in which each command that compiles runs once."""

    def __init__(self, root, folder, venv, driver=None):
        self.linker = linker_of(venv)
        self.folder, self.places, self.lock, self.built = folder, places_of(venv, driver or venv), threading.Lock(), {}
        shutil.copytree(root / records.FOLDER, folder, dirs_exist_ok=True)
        (folder / "cache").mkdir()
        linker = self.linker
        # Headers of libsycl 2025.0 include others relative to include/sycl.
        self.environment = {**os.environ, "SYCL": venv, "NVIDIA": str(linker.parent.parent) if linker else "",
                            "CPLUS_INCLUDE_PATH": f"{venv}/include/sycl",
                            "POCL_CACHE_DIR": str(folder / "cache"), "LC_ALL": "C"}

    def precompile(self):
        """Compiles libsycl's header once, for the programs that include it first; the others still read it.  The options
        are those of the records, and g++ ignores the result for a program with others."""
        include = pathlib.Path(self.environment["SYCL"]) / "include"
        target = self.folder / "precompiled/sycl/sycl.hpp.gch"
        target.parent.mkdir(parents=True)
        subprocess.run(["g++", "-std=c++17", "-DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING", "-isystem", include, "-x", "c++-header",
                        include / "sycl/sycl.hpp", "-o", target],
                       env=self.environment, stderr=subprocess.DEVNULL, check=False)
        self.environment["CPATH"] = str(target.parent.parent)  # searched before -isystem

    def run(self, command, extra):
        """Returns (how it ended, standard output, standard error)."""
        if self.linker:  # records name that of the current release
            command = command.replace("libnvJitLink.so.13", self.linker.name)
        with subprocess.Popen(["bash", "-c", command], cwd=self.folder, env={**self.environment, **extra},
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              start_new_session=True) as process:
            try:
                out, err = process.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.communicate()
                return f"a time limit of {SECONDS} seconds", "", ""
        status = process.returncode
        number = -status if status < 0 else status - 128 if status > 128 else 0
        return (signal.Signals(number).name if number else status), out.decode("utf-8", "replace"), \
            err.decode("utf-8", "replace")

    def build(self, command):
        """Runs a command that compiles, unless it ran before; returns what it printed if it failed."""
        with self.lock:
            first = command not in self.built
            if first:
                self.built[command] = concurrent.futures.Future()
        result = self.built[command]
        if first:
            status, out, err = self.run(command, {})
            result.set_result(f"{command}\n{out}{err}(ended with {status})" if status != 0 else "")
        return result.result()

    def outcome(self, finding):
        """Returns ("shown", "absent" or "unclear", why), for another release than that of the record.  A program that ends
        with 0 instead of another status, or prints what the record says under `absent`, shows that it is absent; one that
        only does not crash may still be wrong."""
        how, commands = finding.reproduction, finding.commands
        for command in commands[:-1]:
            problem = self.build(command)
            if problem:
                return "unclear", f"the program does not compile: {error_of(problem)}"
        ended, out, err = self.run(commands[-1], self.places[how["runs_on"]][1])
        if self.matches(finding, ended, out):
            return "shown", ""
        if ended == 0 and isinstance(how.get("ends", 0), int) and how.get("ends", 0) != 0:
            return "absent", ""
        if "absent" in how and re.fullmatch(pattern_of(how["absent"]), lines_of(out)):
            return "absent", ""
        said = (out.strip() or err.strip() or "nothing").splitlines()
        return "unclear", f"the program ends with {ended} and prints: {said[-1][:120]}"

    @staticmethod
    def matches(finding, ended, out):
        """True if a reproduction ended and printed as recorded."""
        how = finding.reproduction
        ends = how.get("ends", 0)
        return bool(re.fullmatch(pattern_of(how["output"]), lines_of(out))) and \
            ended in (ends if isinstance(ends, list) else [ends])

    def check(self, finding):
        """Returns (finding, "shown", "compiled" or "FAILED", a message)."""
        how, commands = finding.reproduction, finding.commands
        wanted, environment = self.places[how["runs_on"]]
        if how["runs_on"] in WITH_HEADERS and not os.path.exists(wanted):
            return finding, "left out", f"{how['runs_on']}'s headers are not installed"
        missing = [name for name in VERSIONED.findall(" ".join(commands)) if not shutil.which(name)]
        if missing:
            return finding, "left out", f"{missing[0]} is not installed"
        for command in commands[:-1]:
            problem = self.build(command)
            if problem:
                return finding, "FAILED", f"the reproduction does not compile:\n{problem}"
        if not os.path.exists(wanted):
            return finding, "compiled", f"{how['runs_on']} is not installed"
        ended, out, err = self.run(commands[-1], environment)
        ends = how.get("ends", 0)
        if self.matches(finding, ended, out):
            return finding, "shown", ""
        if "driver" in how and f"driver {how['driver']}" not in out:
            return finding, "compiled", f"the record is about driver {how['driver']}"
        return finding, "FAILED", (
            f"the reproduction no longer shows what its record says\n  command: {commands[-1]}\n"
            f"  recorded output (ends with {ends}):\n{indented(how['output'])}\n"
            f"  output now (ends with {ended}):\n{indented(out)}\n{indented(err[-2000:])}\n"
            f"  If a new release has fixed it, name the releases that have it in {records.FOLDER}/"
            f"{finding.component.path.name}\n  and limit the entries to their driver; otherwise correct the program or the record.")


def error_of(text):
    """The first line in which a compiler says what is wrong."""
    found = re.search(r"(?:error|undefined reference)[: ].*", text)
    return (found.group(0) if found else text.strip().splitlines()[-1])[:160]


def lines_of(text):
    return "".join(line.rstrip() + "\n" for line in text.rstrip().split("\n")) if text.strip() else ""


def pattern_of(text):
    """The regular expression of an output: `…` is any lines, and `*` any text within a line."""
    return "".join(r"(?:.*\n)*?" if line == "…\n" else re.escape(line).replace(r"\*", ".*")
                   for line in lines_of(text).splitlines(True))


def indented(text):
    return "".join(f"    {line}\n" for line in text.rstrip().splitlines()).rstrip("\n")
