"""Builds of other revisions of the project, each in a folder of its own under build/revisions."""

import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
TARGETS = ("pjrt_tenon", "tenon")


def _output(*command):
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}: {done.stderr.strip()}")
    return done.stdout.strip()


def _ninja(build, targets):
    if subprocess.run(["ninja", "-C", build, "--quiet", *targets], check=False).returncode != 0:
        sys.exit(f"{build}: the build failed")
    return build


def this_build():
    """The folder of the release build of what is checked out, changes that are not committed included; built first."""
    return _ninja(ROOT / "build" / "release", TARGETS)


def build(revision):
    """The folder of the release build of a revision, made if it is not there: its sources, with this tree's tools."""
    commit = _output("git", "rev-parse", "--verify", revision + "^{commit}")
    folder = ROOT / "build" / "revisions" / commit[:12]
    result = folder / "build" / "release"
    if not (folder / "CMakeLists.txt").exists():
        folder.mkdir(parents=True, exist_ok=True)
        archive = subprocess.Popen(["git", "archive", commit], cwd=ROOT, stdout=subprocess.PIPE)
        subprocess.run(["tar", "-x", "-C", folder], stdin=archive.stdout, check=True)
        if archive.wait() != 0:
            sys.exit(f"{revision} cannot be read")
    # What scripts/setup.sh fetches is the same for both as long as the versions that it pins are.
    for fetched in (".setup", ".venv"):
        if not (folder / fetched).exists():
            (folder / fetched).symlink_to(ROOT / fetched)
    if not (result / "build.ninja").exists():
        subprocess.run(["cmake", "--preset", "release"], cwd=folder, stdout=subprocess.DEVNULL, check=True)
    print(f"building {revision} ({commit[:12]})", flush=True)
    return _ninja(result, TARGETS)
