"""The wheel, built and installed in an empty environment outside the checkout, does the main job."""
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.slow
def test_wheel_runs_on_its_own(tmp_path: Path):
    "Prompts and sample data travel in the wheel; nothing of the checkout is needed."
    built = subprocess.run([sys.executable, "-m", "build", "--wheel", "--outdir", str(tmp_path / "dist"), str(ROOT)], capture_output=True, text=True)
    assert built.returncode == 0, built.stderr[-2000:]
    wheel = next((tmp_path / "dist").glob("*.whl"))
    venv.create(tmp_path / "env", with_pip=True)
    python = tmp_path / "env" / "bin" / "python"
    installed = subprocess.run([str(python), "-m", "pip", "install", "--quiet", str(wheel)], capture_output=True, text=True, cwd=tmp_path)
    assert installed.returncode == 0, installed.stderr[-2000:]
    heavy = subprocess.run([str(python), "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True).stdout.lower()
    assert not any(f"\n{name}==" in heavy for name in ("torch", "litellm", "jupyterlab"))
    done = subprocess.run([str(tmp_path / "env" / "bin" / "gamecommbench"), "run", "--engine", "none", "--out", "run", "--limit", "8"], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run" / "report" / "index.html").exists()
