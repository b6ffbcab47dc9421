"""What the tests share: executables of fixture models, and temporary folders."""

import os
import pathlib
import shutil
import tempfile
import time
import unittest

import encoderfile

FIXTURES = pathlib.Path(__file__).resolve().parents[2] / "fixtures"

# A folder with executables that were built before; missing ones are built.
_BUILT = os.environ.get("ENCODERFILE_TEST_MODELS") or tempfile.mkdtemp(prefix="encoderfile-python-")

try:
    import numpy
except ImportError:
    numpy = None


def model_folder(name):
    """The folder of a fixture model."""
    return FIXTURES / "models" / name


def executable(name):
    """The path of the executable of a fixture model."""
    path = os.path.join(_BUILT, f"{name}.encoder")
    if not os.path.exists(path):
        encoderfile.build_from_config(model_folder(name) / "encoderfile.yml", output=path)
    return path


def lists(value):
    """Arrays as lists, so that tests do not depend on NumPy."""
    if hasattr(value, "tolist"):
        return value.tolist()
    return [lists(part) for part in value] if isinstance(value, list) else value


def is_running(pid):
    """Whether a process exists and is not only waiting for its parent."""
    try:
        with open(f"/proc/{pid}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_until(condition, what):
    """Waits until a condition holds. The limit only matters if it never does."""
    end = time.monotonic() + 60
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"{what} did not happen")
        time.sleep(0.02)


class ModelTest(unittest.TestCase):
    """A test class with one model, which is `self.model`."""

    name = "sentence"

    @classmethod
    def setUpClass(cls):
        cls.model = encoderfile.Encoderfile(executable(cls.name))

    @classmethod
    def tearDownClass(cls):
        cls.model.close()

    def rejects(self, error, message, call, *args, **kwargs):
        with self.assertRaises(error) as caught:
            call(*args, **kwargs)
        self.assertRegex(str(caught.exception), message)


class FolderTest(unittest.TestCase):
    """A test class with an empty folder for each test, whose name contains special characters."""

    def setUp(self):
        root = tempfile.mkdtemp(prefix="encoderfile-python-")
        self.addCleanup(shutil.rmtree, root)
        self.folder = os.path.join(root, "a b $(x) ü 'q'")
        os.mkdir(self.folder)

    def path(self, name):
        return os.path.join(self.folder, name)
