"""Fixtures that several test files share."""
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SHARED = ROOT.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    "The folder of real samples and awkward cases; tests that need it are skipped where it is absent."
    if not SHARED.is_dir():
        pytest.skip("the folder shared/ (samples and cases) is not beside this checkout")
    return SHARED


@pytest.fixture(scope="session")
def cases(shared: Path) -> dict[str, dict]:
    "The awkward cases by id."
    lines = (shared / "cases" / "cases.jsonl").read_text(encoding="utf-8").splitlines()
    return {case["id"]: case for case in map(json.loads, filter(None, map(str.strip, lines)))}
