"""Verifies the structure of a wheel: hashes, sizes and modes of all files, and that its tag matches its name."""

import base64
import csv
import hashlib
import io
import re
import sys
import zipfile


def verify(path):
    name = re.search(r"([^/\\]+)\.whl$", path)[1]
    distribution, version, *tag = name.split("-")
    info = f"{distribution}-{version}.dist-info"
    with zipfile.ZipFile(path) as wheel:
        assert wheel.testzip() is None
        entries = {entry.filename: entry for entry in wheel.infolist()}
        assert len(entries) == len(wheel.infolist()), "a file is there twice"
        rows = list(csv.reader(io.StringIO(wheel.read(f"{info}/RECORD").decode())))
        assert [row[0] for row in rows] == list(entries), "RECORD lists other files"
        for file, digest, size in rows[:-1]:
            content = wheel.read(file)
            expected = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
            assert (digest, int(size)) == (f"sha256={expected}", len(content)), file
            is_script = ".data/scripts/" in file
            assert entries[file].external_attr >> 16 == (0o100755 if is_script else 0o100644), file
            assert entries[file].date_time == (1980, 1, 1, 0, 0, 0), file
        assert rows[-1] == [f"{info}/RECORD", "", ""]
        assert f"\nTag: {'-'.join(tag)}\n" in wheel.read(f"{info}/WHEEL").decode()
        (script,) = (wheel.read(file)[:4] for file in entries if ".data/scripts/" in file)
        magic = {"linux": b"\x7fELF", "macos": b"\xcf\xfa\xed\xfe", "win": b"MZ"}
        (expected,) = (value for system, value in magic.items() if re.search(f"^(many)?{system}", tag[-1]))
        assert script.startswith(expected), "the executable is for another system"
        assert "encoderfile/py.typed" in entries


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        verify(argument)
