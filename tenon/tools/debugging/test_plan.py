"""Steps of training that are planned for more devices than there are: what the report says that a device receives and holds
is what the formulas of parallel training say, and what docs/layer-on-a-mesh.md shows."""

import os
import pathlib
import sys

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[3]
TENON = os.environ.get("TENON_COMMAND", ROOT / "build/release/bin/tenon")
DEVICES = (8, 64, 1024)

sys.path.insert(0, str(ROOT / "examples" / "parallel"))
os.environ.setdefault("JAX_PLATFORMS", "cpu")
import plan  # noqa: E402


@pytest.fixture(scope="module")
def reports():
    return {(way, devices): plan.report(TENON, way, plan.mesh_of(way, devices)) for way in plan.WAYS for devices in DEVICES}


@pytest.mark.parametrize("devices", DEVICES)
@pytest.mark.parametrize("way", plan.WAYS)
def test_devices_receive_what_the_formula_says(reports, way, devices):
    report, mesh = reports[way, devices], plan.mesh_of(way, devices)
    assert report["devices"] == devices and not report["fallbacks"]
    assert abs(plan.received(report) - plan.formula(way, mesh)) <= 64  # the loss apart
    assert report["memory"]["argument_bytes"] == plan.argument_bytes(way, mesh)


@pytest.mark.parametrize("way", plan.WAYS)
def test_programs_are_of_the_same_size_for_any_number_of_devices(reports, way):
    some, many = (reports[way, devices]["collectives"] for devices in DEVICES[1:])
    assert [(c["op"], c["source"]) for c in some] == [(c["op"], c["source"]) for c in many]


def test_the_page_shows_it(reports):
    """Memory for temporary arrays depends on the whole compiler, and may have changed a little."""
    page = (ROOT / "docs/layer-on-a-mesh.md").read_text(encoding="utf-8")
    shown = page.split("<!-- planned -->\n")[1].split("<!-- /planned -->")[0].splitlines()
    now = [*plan.HEAD, *(plan.row(way, plan.mesh_of(way, devices), report) for (way, devices), report in reports.items())]
    assert len(shown) == len(now)
    column = [cell.strip() for cell in plan.HEAD[0].split("|")].index("temporary")
    for old, new in zip(shown, now):
        old, new = old.split("|"), new.split("|")
        before, after = old.pop(column), new.pop(column)
        assert old == new, "write the table anew with examples/parallel/plan.py"
        if before != after:
            assert float(after.replace(",", "")) == pytest.approx(float(before.replace(",", "")), rel=0.1)
