"""Jobs of several OS processes with JAX, for grid.py: each in a network namespace of its own, so that they have
different addresses as on different machines, or all on loopback.

A server that has imported JAX forks the processes of all jobs: of a process's start, the import is most.
"""

import contextlib
import ctypes
import multiprocessing
import os
import socket
import subprocess
import tempfile

# A job that hangs ends; it is never waited for where all goes well.
PATIENCE = 300
FIRST_PORT, PORTS = 20000, 20000  # one after the other: an old one may still be closing
CLONE_NEWNET = 0x40000000


class Loopback:
    """All processes have one address."""

    name = "loopback"
    namespaces = ()

    def close(self):
        pass

    def coordinator(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            return f"127.0.0.1:{free.getsockname()[1]}"

    def environment(self, process):
        return {}

    def enter(self, process):
        pass


class Namespaces:
    """A network of this machine's own: a bridge, and a namespace for each process, with an address each."""

    def __init__(self, count):
        self.name = f"{count} network namespaces"
        self.prefix = f"tenon-grid-{os.getpid()}"
        self.namespaces = []
        self.port = 0
        try:
            self._add("hub")
            self._ip("-n", self._of("hub"), "link", "add", "bridge", "type", "bridge")
            self._ip("-n", self._of("hub"), "link", "set", "bridge", "up")
            for process in range(count):
                self._connect(process)
        except BaseException:
            self.close()
            raise

    def _of(self, what):
        return f"{self.prefix}-{what}"

    def _ip(self, *words):
        subprocess.run(["ip", *words], check=True, capture_output=True, text=True)

    def _add(self, what):
        self._ip("netns", "add", self._of(what))
        self.namespaces.append(self._of(what))

    def _connect(self, process):
        own, hub, end = self._of(process), self._of("hub"), f"port{process}"
        self._add(process)
        self._ip("-n", own, "link", "add", "eth0", "type", "veth", "peer", "name", end, "netns", hub)
        self._ip("-n", hub, "link", "set", end, "master", "bridge", "up")
        self._ip("-n", own, "address", "add", f"{self.address(process)}/24", "dev", "eth0")
        for link in ("lo", "eth0"):
            self._ip("-n", own, "link", "set", link, "up")

    def close(self):
        for namespace in self.namespaces:  # with them go their links
            subprocess.run(["ip", "netns", "delete", namespace], check=False)
        self.namespaces = []

    def address(self, process):
        return f"10.203.77.{process + 1}"

    def coordinator(self):
        self.port = (self.port + 1) % PORTS
        return f"{self.address(0)}:{FIRST_PORT + self.port}"

    def environment(self, process):
        return {"TENON_SOCKET_ADDRESS": self.address(process), "TENON_PLAIN_NETWORK": "1"}

    def enter(self, process):
        """Makes the calling process one of the namespace."""
        with open(f"/run/netns/{self._of(process)}") as namespace:
            if ctypes.CDLL(None, use_errno=True).setns(namespace.fileno(), CLONE_NEWNET):
                raise OSError(ctypes.get_errno(), "setns")


def make_networks(count, wish="auto"):
    """The networks for jobs of up to `count` processes, and why there are no more. Data goes through shared memory where
    all are on loopback, and by gRPC between addresses."""
    if wish == "loopback":
        return [Loopback()], "as asked for"
    why = None if os.geteuid() == 0 else "network namespaces need root"
    if not why:
        try:
            return [Namespaces(count)] + ([] if wish == "namespaces" else [Loopback()]), None
        except FileNotFoundError:
            why = "there is no command ip (Debian's iproute2)"
        except subprocess.CalledProcessError as error:
            why = f"'{' '.join(error.cmd)}' fails: {error.stderr.strip()}"
    if wish == "namespaces":
        raise SystemExit(f"grid: {why}")
    return [Loopback()], why


def _start(work, number, count, coordinator, network, environment, errors, pipe):
    """A process of a job; `errors` is the file for what it writes to stderr."""
    os.dup2(os.open(errors, os.O_WRONLY | os.O_APPEND), 2)
    os.environ.update(environment)
    network.enter(number)
    import jax

    if count > 1:
        jax.distributed.initialize(coordinator, count, number, initialization_timeout=PATIENCE)
    work(lambda *words: pipe.send(words))
    # Process 0 has the service of jax.distributed: without it, JAX would end those who have not said everything yet.
    with contextlib.suppress(EOFError, ConnectionResetError):
        pipe.recv()
    os._exit(0)  # the framework's end would wait for the others


def start_server(preloaded):
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(preloaded)
    return context


class Job:
    """`work(say)` in a process for each number of `devices`, which is how many it has."""

    def __init__(self, context, network, work, devices, environment):
        coordinator = network.coordinator()
        self.processes, self.pipes, self.errors = [], [], []
        for number, own in enumerate(devices):
            pipe, theirs = context.Pipe()
            errors = tempfile.NamedTemporaryFile()
            process = context.Process(
                target=_start,
                args=(
                    work,
                    number,
                    len(devices),
                    coordinator,
                    network,
                    {**environment, **network.environment(number), "TENON_NUM_DEVICES": str(own)},
                    errors.name,
                    theirs,
                ),
                daemon=True,
            )
            process.start()
            theirs.close()
            self.processes.append(process)
            self.pipes.append(pipe)
            self.errors.append(errors)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for process, pipe, errors in zip(self.processes, self.pipes, self.errors, strict=True):
            process.kill()
            process.join()
            pipe.close()
            errors.close()

    def pid(self, process):
        return self.processes[process].pid

    def is_running(self, process):
        return self.processes[process].is_alive()

    def signal(self, process, number):
        os.kill(self.pid(process), number)

    def said(self, process, patience=PATIENCE):
        """The next that it says; None: it has ended. TimeoutError: nothing comes."""
        if not self.pipes[process].poll(patience):
            raise TimeoutError(f"process {process} says nothing for {patience} s")
        with contextlib.suppress(EOFError, ConnectionResetError):
            return self.pipes[process].recv()
        return None

    def log(self, process):
        """The end of what it has written to stderr."""
        self.errors[process].seek(0)
        return self.errors[process].read().decode(errors="replace")[-8000:]

