"""The wheel that people install: its name, its licence, its command."""

import subprocess
import sys
import zipfile
from email.parser import Parser
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_wheel_is_named_tacit_memory_and_brings_its_licence_and_the_command_tacit(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        (metadata_name,) = (name for name in names if name.endswith(".dist-info/METADATA"))
        (entry_points,) = (name for name in names if name.endswith(".dist-info/entry_points.txt"))
        (licence,) = (name for name in names if name.endswith("/LICENSE"))
        metadata = Parser().parsestr(archive.read(metadata_name).decode())
        assert metadata["Name"] == "tacit-memory"
        assert metadata["License-Expression"] == "MIT"
        assert archive.read(licence) == (ROOT / "LICENSE").read_bytes()
        assert "tacit = tacit.__main__:run" in archive.read(entry_points).decode()
        assert {name.split("/")[0] for name in names if not name.startswith("tacit_memory")} == {"tacit"}
        assert {path.relative_to(ROOT / "src").as_posix() for path in ROOT.glob("src/tacit/**/*.toml")} <= set(names)
