"""What a release is refused for, and its notes."""

import pathlib
import subprocess
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))

import release  # noqa: E402

CHANGELOG = """# Changes

## 0.2.0 (not released yet)

### New

- Something.

## 0.1.0 (2026-01-01)

- The first.
"""


def git(root, *arguments):
    subprocess.run(["git", "-c", "user.name=A", "-c", "user.email=a@b", *arguments], cwd=root, check=True, capture_output=True)


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(Tenon VERSION 0.2.0 LANGUAGES C)\n")
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG)
    header = tmp_path / "include/tenon/c/tenon.h"
    header.parent.mkdir(parents=True)
    header.write_text("#define TENON_C_VERSION_MAJOR 0\n#define TENON_C_VERSION_MINOR 2\n")
    git(tmp_path, "init")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-m", "begin")
    git(tmp_path, "tag", "v0.1.0")
    return tmp_path


def test_nothing_is_missing(tree):
    assert release.missing(tree, "0.2.0") == []


@pytest.mark.parametrize(
    "version, reason",
    [
        ("0.2", "'0.2' is not three numbers"),
        ("0.3.0", "CMakeLists.txt says version 0.2.0"),
        ("0.3.0", "include/tenon/c/tenon.h says version 0.2"),
        ("0.3.0", "CHANGELOG.md has no section '## 0.3.0 (not released yet)'"),
        ("0.1.0", "the last tag is v0.1.0"),
        ("0.1.0", "CHANGELOG.md says of it: 0.1.0 (2026-01-01)"),
    ],
)
def test_says_what_is_missing(tree, version, reason):
    assert reason in release.missing(tree, version)


def test_refuses_changes_and_empty_notes(tree):
    (tree / "CHANGELOG.md").write_text("## 0.2.0 (not released yet)\n\n## 0.1.0 (2026-01-01)\n")
    assert release.missing(tree, "0.2.0") == ["there are changes that are not committed", "the section of 0.2.0 in CHANGELOG.md is empty"]


def test_versions_are_numbers(tree):
    git(tree, "tag", "v0.10.0")
    assert release.missing(tree, "0.2.0") == ["the last tag is v0.10.0"]


def test_notes():
    assert release.section(CHANGELOG, "0.2.0") == ("## 0.2.0 (not released yet)", "### New\n\n- Something.\n")
    assert release.section(CHANGELOG, "0.1.0")[1] == "- The first.\n"
    dated = release.dated(CHANGELOG, "0.2.0", "2026-12-01")
    assert "## 0.2.0 (2026-12-01)\n" in dated and "not released" not in dated
