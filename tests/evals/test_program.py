"""`python -m config.cases DIR`, as `make cases` starts it: its last line and its exit status."""

import os
import subprocess
import sys
from pathlib import Path

from tests.evals import small_shop

ROOT = Path(__file__).resolve().parents[2]


def cases(folder, **environ):
    return subprocess.run(
        [sys.executable, "-m", "config.cases", str(folder)],
        cwd=ROOT,
        env={**os.environ, **environ},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def test_program_closes_with_the_counts_and_leaves_the_database_of_a_shop_alone(tmp_path):
    folder = small_shop.write(tmp_path, small_shop.case(id="good"), small_shop.case(id="bad", expected={}))
    shop = tmp_path / "shop.sqlite3"
    done = cases(folder, DATABASE_URL=f"sqlite:///{shop}")
    assert (done.stdout.splitlines()[-1], done.returncode, done.stderr) == ("1 passed, 1 failed", 1, "")
    assert f"FAILED bad ({small_shop.ANNA})" in done.stdout
    assert not shop.exists()


def test_program_says_in_a_sentence_what_is_wrong_with_a_folder(tmp_path):
    done = cases(tmp_path / "missing")
    assert (done.stderr, done.stdout, done.returncode) == (f"{tmp_path / 'missing'} is no folder\n", "", 2)
