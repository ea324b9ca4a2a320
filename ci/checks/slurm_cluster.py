"""A Slurm cluster on one machine, for tests: munged, slurmctld, and a slurmd per node.

A node is a process in its own namespaces: when it is killed, everything that runs on it dies with it, as on a machine
that loses power, and its local files, in a small tmpfs, are gone.  Needs root, and what
`ci/setup --with fleet` installs.
"""
import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import time

PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "scontrol", "squeue", "scancel", "sinfo", "unshare")

# SlurmdTimeout is the time after which a silent node is lost, cred_expire the time for which a requeued job waits.
CONFIGURATION = """\
ClusterName=assay
SlurmctldHost={host}
SlurmctldPort={port}
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool/%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/spool/%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/spool/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=2,bf_interval=2
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=5
MinJobAge=3600
PreemptType=preempt/partition_prio
PreemptMode=REQUEUE
GresTypes=gpu
{nodes}
PartitionName=main Nodes=ALL Default=YES MaxTime=60 State=UP PriorityTier=1
PartitionName=urgent Nodes=ALL MaxTime=60 State=UP PriorityTier=10 PreemptMode=OFF
"""


def missing():
    """Why a cluster cannot be started here, or None."""
    absent = [name for name in PROGRAMS if not shutil.which(name)]
    if absent:
        return f"{', '.join(absent)} missing; run ci/setup --with fleet"
    if os.geteuid() != 0:
        return "the daemons of a cluster need root"
    trial = subprocess.run(["unshare", "--pid", "--fork", "--mount", "--mount-proc", "true"], capture_output=True, text=True)
    return f"no namespaces: {trial.stderr.strip()}" if trial.returncode != 0 else None


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def die_with_parent():
    """No daemon outlives a test that is killed (prctl(2), PR_SET_PDEATHSIG)."""
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)


def children(process):
    return [int(word) for task in pathlib.Path(f"/proc/{process}/task").iterdir() for word in (task / "children").read_text().split()]


class Cluster:
    """nodes: {name: (gres, such as gpu:big:1, size of the node's local folder, as tmpfs takes it)}; a node has one GPU.  Use it in a `with` statement."""

    def __init__(self, folder, nodes):
        self.folder = pathlib.Path(folder).resolve()
        self.nodes = nodes
        self.daemons = {}
        self.local = self.folder / "local"  # on each node its own
        self.environment = dict(os.environ, SLURM_CONF=str(self.folder / "slurm.conf"))
        ports = {name: free_port() for name in nodes}
        for name in ("state", "spool", "local"):
            (self.folder / name).mkdir()
        host = socket.gethostname().split(".")[0]
        rows = [f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={ports[name]} CPUs=2 RealMemory=100 Gres={gres} State=UNKNOWN"
                for name, (gres, _) in nodes.items()]
        (self.folder / "slurm.conf").write_text(CONFIGURATION.format(
            host=f"{host}(127.0.0.1)", port=free_port(), folder=self.folder, nodes="\n".join(rows)))
        (self.folder / "gres.conf").write_text("".join(
            f"NodeName={name} Name=gpu Type={gres.split(':')[1]} File=/dev/null\n" for name, (gres, _) in nodes.items()))
        key = self.folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)

    def __enter__(self):
        try:
            folder = self.folder
            self.start("munged", "munged", "--foreground", "--force", f"--socket={folder}/munge.socket", f"--key-file={folder}/munge.key",
                       f"--pid-file={folder}/munged.pid", f"--log-file={folder}/munged.log", f"--seed-file={folder}/munged.seed")
            wait_for("munged", lambda: (folder / "munge.socket").exists())
            self.controller_start()
            for name in self.nodes:
                self.node_start(name)
            wait_for("all nodes", lambda: set(self.states().values()) == {"idle"}, self.log)
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self, name, *command):
        with open(self.folder / f"{name}.out", "ab") as out:
            self.daemons[name] = subprocess.Popen(command, env=self.environment, stdin=subprocess.DEVNULL, stdout=out, stderr=out,
                                                  preexec_fn=die_with_parent)

    def controller_start(self):
        self.start("slurmctld", "slurmctld", "-D")
        wait_for("slurmctld", lambda: self.command("scontrol", "ping", check=False).stdout.count("is UP"), self.log)

    def controller_kill(self):
        """Kills the controller once it has written what it knows now, as it does every few seconds."""
        now = time.time()
        wait_for("the controller's state", lambda: (self.folder / "state/job_state").stat().st_mtime > now, self.log)
        self.kill("slurmctld")

    def node_start(self, name):
        script = f'mount -t tmpfs -o size={self.nodes[name][1]} tmpfs "$1" && exec slurmd -D -N "$2"'
        self.start(name, "unshare", "--pid", "--fork", "--kill-child", "--mount", "--mount-proc", "sh", "-c", script, "node", str(self.local), name)

    def node_path(self, name, path):
        """A path on a node, as this process sees it."""
        return pathlib.Path(f"/proc/{self.node_process(name)}/root") / str(path).lstrip("/")

    def node_process(self, name):
        """The first process of a node, its slurmd, which has its namespaces."""
        return children(self.daemons[name].pid)[0]

    def node_daemons(self, name):
        """The processes of Slurm on a node, without those of jobs."""
        slurmd = self.node_process(name)
        return [slurmd] + [child for child in children(slurmd) if "slurmstepd" in pathlib.Path(f"/proc/{child}/comm").read_text()]

    def node_kill(self, name):
        """Ends a node and whatever runs on it, without a word to the controller."""
        self.kill(name)

    def kill(self, name):
        daemon = self.daemons.pop(name)
        daemon.send_signal(signal.SIGKILL)
        daemon.wait()

    def stop(self):
        if "slurmctld" in self.daemons:
            self.command("scancel", "--user=root", check=False)
        for name in list(self.daemons):
            self.kill(name)

    def command(self, *words, check=True):
        """Runs a client of Slurm; a nonzero exit status is an error, unless `check` is False."""
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True)
        if check and done.returncode != 0:
            raise RuntimeError(f"{' '.join(words)}: exit status {done.returncode}\n{done.stdout}{done.stderr}{self.log()}")
        return done

    def states(self):
        """{node: its state}, as sinfo abbreviates it."""
        rows = self.command("sinfo", "--noheader", "--Node", "--partition=main", "--format=%N %t", check=False).stdout.split()
        return dict(zip(rows[::2], rows[1::2]))

    def tasks(self, job):
        """{index in the array: the fields of `scontrol show job`} of a job."""
        found = {}
        for line in self.command("scontrol", "--oneliner", "show", "job", str(job)).stdout.splitlines():
            fields = dict(word.partition("=")[::2] for word in line.split() if "=" in word)
            found[fields.get("ArrayTaskId", "")] = fields
        return found

    def log(self):
        text = ""
        for path in (self.folder / "slurmctld.log", *sorted((self.folder / "spool").glob("*.log"))):
            if path.exists():
                text += f"---- {path.name}\n" + "".join(path.read_text(errors="replace").splitlines(keepends=True)[-25:])
        return text


def wait_for(what, is_so, report=lambda: "", seconds=90):
    """Waits until is_so() is true, and returns its value."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        value = is_so()
        if value:
            return value
        time.sleep(0.2)
    raise TimeoutError(f"{what}: not so after {seconds} s\n{report()}")
