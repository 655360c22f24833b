"""The source distribution (tenon/python/wheel_backend.py)."""

import email
import pathlib
import subprocess
import sys
import tarfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = "import sys; sys.path.insert(0, sys.argv[1]); import wheel_backend; print(wheel_backend.build_sdist(sys.argv[2]))"


def build(project, output):
    output.mkdir()
    command = [sys.executable, "-B", "-c", BUILD, project / "tenon" / "python", output]
    return output / subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def test_a_distribution_has_all_that_a_build_reads_and_makes_itself_again(tmp_path):
    first = build(ROOT, tmp_path / "first")
    with tarfile.open(first) as archive:
        archive.extractall(tmp_path)
    project = tmp_path / first.name.removesuffix(".tar.gz")
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()
    assert not [name for name in tracked if (project / name).read_bytes() != (ROOT / name).read_bytes()]
    assert (project / ".setup/pjrt/xla/pjrt/c/pjrt_c_api.h").is_file()
    assert build(project, tmp_path / "second").read_bytes() == first.read_bytes()


def test_a_distribution_says_what_it_is(tmp_path):
    first = build(ROOT, tmp_path / "first")
    stem = first.name.removesuffix(".tar.gz")
    with tarfile.open(first) as archive:
        metadata = email.message_from_binary_file(archive.extractfile(f"{stem}/PKG-INFO"))
        project = tomllib.load(archive.extractfile(f"{stem}/pyproject.toml"))
        for licence in metadata.get_all("License-File"):
            archive.getmember(f"{stem}/{licence}")
        for folder in project["build-system"]["backend-path"]:
            archive.getmember(f"{stem}/{folder}/{project['build-system']['build-backend']}.py")
    assert f"{metadata['Name'].replace('-', '_')}-{metadata['Version']}" == stem
    # Pinned as in the development environment.
    pinned = (ROOT / "requirements-demo.txt").read_text().splitlines()
    assert [need for need in project["build-system"]["requires"] if need not in [*pinned, "pip"]] == []
