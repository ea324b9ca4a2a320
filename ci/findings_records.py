"""Reads and checks the records of findings, for ci/findings, ci/checks/reproductions and ci/releases."""
import pathlib
import re
import sys

import yaml

FOLDER = pathlib.PurePosixPath("scenarios/expectations/findings")
# Class, its text, and what it means; in the order of the pages.
CLASSES = {
    "silent-wrong-result": ("silent wrong result", "no sentence decides, but no order of the steps can produce the value"),
    "violates-a-must": ("violates a must", "a sentence of a specification says otherwise"),
    "violates-a-reading": ("violates a must, in our reading",
                           "the sentence leaves room; our reading of it, stated with the rule, says otherwise"),
    "crash-or-hang": ("crash or hang", "the process or the device was lost"),
    "permitted-divergence": ("permitted divergence", "nothing was violated, or no document decides"),
}
ACCUSING = ("silent-wrong-result", "violates-a-must", "crash-or-hang")
OPENCL = "cc {name}.c -l:libOpenCL.so.1 -o {name}"
SYCL = ("g++ -std=c++17 -DSYCL_DISABLE_FSYCL_SYCLHPP_WARNING -isystem $SYCL/include {name}.cpp -Wa,-I. -L$SYCL/lib -lsycl "
        "-Wl,-rpath,$SYCL/lib -o {name}")
# Where a reproduction runs: how its program is built, the subject of assay, and what a page says about the environment.
PLACES = {
    "pocl": (OPENCL, "pocl", "OCL_ICD_VENDORS=/etc/OpenCL/vendors/pocl.icd"),
    "intel-cpu": (OPENCL, "intel-cpu", "OCL_ICD_VENDORS=$INTEL/lib/libintelocl.so OCL_ICD_FILENAMES=$INTEL/lib/libintelocl.so"),
    "nvidia-opencl": (OPENCL, "nvidia-opencl", "OCL_ICD_VENDORS=/etc/OpenCL/vendors/nvidia.icd"),
    "cuda": ("cc {name}.c -ldl -o {name}", "cuda", ""),
    "libsycl": (SYCL, "dpcpp", "OCL_ICD_VENDORS=$SYCL/lib/libintelocl.so OCL_ICD_FILENAMES=$SYCL/lib/libintelocl.so"),
    "intel-gpu": ("cc {name}.c -l:libze_loader.so.1 -o {name}", "intel-gpu",
                  "NEOReadDebugKeys=1 SetCommandStreamReceiver=1 ProductFamilyOverride=tgllp AUBDumpCaptureFileName=/dev/null"),
    "nvjitlink": ("cc {name}.c -I$NVIDIA/include -L$NVIDIA/lib -l:libnvJitLink.so.13 -Wl,-rpath,$NVIDIA/lib -o {name}", "nvlink",
                  ""),
    "fusion": ("cc {name}.c -ldl -l:libOpenCL.so.1 -o {name}", "'sim{fusion=shipped}'",
               "FUSION=$FUSION OCL_ICD_VENDORS=$INTEL/lib/libintelocl.so OCL_ICD_FILENAMES=$INTEL/lib/libintelocl.so"),
    "tools": (None, None, ""),
}
KEYS = {"runs_on", "driver", "program", "prepare", "arguments", "commands", "ends", "output", "absent"}


def rules_of(text):
    """The ids of rules in a reference."""
    return re.findall(r"\b[A-Z]{2}(?:-[A-Z0-9]+)+-\d+\b", text or "")


class Finding:
    """A record, with what the component's file, the rules and the entries add to it."""

    def __init__(self, component, record):
        self.component, self.record = component, record
        self.name = f"{component.name}/{record['id']}"
        self.entries = []  # pairs (subject, scenario) without duplicates

    def __getattr__(self, key):
        return self.record.get(key)

    @property
    def is_silent(self):
        return self.record["class"] == "silent-wrong-result" or bool(self.silent)

    @property
    def rank(self):
        return (not self.is_silent, list(CLASSES).index(self.record["class"]))

    @property
    def subjects(self):
        """{scenario: its subjects}; scenarios that entries name come first."""
        found = {}
        for subject, scenario in self.entries:
            found.setdefault(scenario, []).append(subject)
        for scenario in self.scenarios or ():
            found.setdefault(scenario, [])
        return found

    @property
    def commands(self):
        """The commands of the reproduction; the last one shows the failure."""
        how = self.reproduction
        own = self.component.programs.get(how.get("program"), {})
        if "commands" in how or "commands" in own:
            return how.get("commands") or own["commands"]
        stem = pathlib.PurePosixPath(how["program"]).stem
        arguments = f" {how['arguments']}" if "arguments" in how else ""
        build = PLACES[how["runs_on"]][0].format(name=stem)
        return [*own.get("prepare", ()), *how.get("prepare", ()), build, f"./{stem}{arguments}"]


class Component:
    def __init__(self, path, content):
        self.name, self.path, self.content = path.stem, path, content
        self.programs = content.get("programs") or {}
        self.findings = [Finding(self, record) for record in content["findings"]]


def records_read(root):
    """The components with their findings, and the rules: {id: (statement, reading)}."""
    components = [Component(path, yaml.safe_load(path.read_text(encoding="utf-8")))
                  for path in sorted((root / FOLDER).glob("*.yaml"))]
    findings = {finding.name: finding for component in components for finding in component.findings}
    for path in sorted((root / FOLDER.parent).glob("*.yaml")):
        content = yaml.safe_load(path.read_text(encoding="utf-8"))
        for entry in content["entries"]:
            where = f"{path.name}: {entry['scenario']}"
            if "finding" not in entry:
                if entry["class"] != "permitted-divergence":
                    sys.exit(f"{where}: an entry of class '{entry['class']}' names its 'finding'")
                continue
            if entry["finding"] not in findings:
                sys.exit(f"{where}: there is no finding '{entry['finding']}' in {FOLDER}")
            pair = (content["subject"], entry["scenario"])
            if pair not in findings[entry["finding"]].entries:
                findings[entry["finding"]].entries.append(pair)
    rules = {rule["id"]: (rule["statement"], rule.get("reading"))
             for rule in yaml.safe_load((root / "scenarios/requirements.yaml").read_text(encoding="utf-8"))}
    return components, rules


def problems_of(root, finding, rules):
    """Yields what is wrong with a record, in sentences."""
    record, how = finding.record, finding.reproduction
    if not finding.sentence and not any(rule in rules for rule in rules_of(finding.reference)):
        if record["class"] != "permitted-divergence":
            yield "'reference' names no rule, so 'sentence' must quote what the reference says"
    if not finding.subjects and not finding.no_scenario:
        yield "no entry names it; write 'scenarios', or 'no_scenario' with the reason"
    for scenario in finding.subjects:
        if not (root / "scenarios" / scenario).is_file():
            yield f"there is no scenario '{scenario}'"
    if not how:
        if record["class"] in ACCUSING:
            yield f"class '{record['class']}' needs 'reproduction'"
        return
    for key in sorted(set(how) - KEYS):
        yield f"unknown key '{key}' in 'reproduction'; expected one of: {', '.join(sorted(KEYS))}"
    if how.get("runs_on") not in PLACES:
        yield f"'runs_on' is not one of: {', '.join(PLACES)}"
    elif "output" not in how:
        yield "'reproduction' needs 'output': what the program prints if the defect is there"
    elif ("program" in how) == ("commands" in how):
        yield "'reproduction' needs 'program' or 'commands', and not both"
    elif "program" in how and not (root / FOLDER / how["program"]).is_file():
        yield f"there is no program '{how['program']}' in {FOLDER}"


def records_check(root, components, rules):
    """Ends the process if a record is wrong."""
    problems = [f"{FOLDER}/{finding.component.path.name}: {finding.name}: {problem}"
                for component in components for finding in component.findings
                for problem in problems_of(root, finding, rules)]
    if problems:
        sys.exit("\n".join(problems))
