"""Validates the OpenAPI documents of served models, and sends requests that schemathesis makes from them. Prints one JSON line per
call. The argument is a JSON object with the address of each model.
"""

import json
import subprocess
import sys
import urllib.request
from importlib.metadata import version
from pathlib import Path
from tempfile import TemporaryDirectory

from openapi_spec_validator import OpenAPIV30SpecValidator

URLS = json.loads(sys.argv[1])
# Requests for vectors can have token ids, which need special tokens: no schema of OpenAPI 3.0 can say that.
WITH_TOKEN_IDS = ["/embed", "/embed_all", "/v1/embeddings", "/"]


def document(url):
    with urllib.request.urlopen(f"{url}/openapi.json") as response:
        return json.load(response)


def valid(url):
    problems = [error.message for error in OpenAPIV30SpecValidator(document(url)).iter_errors()]
    assert not problems, problems


def accepted(url):
    """All requests from the schemas are accepted, and all responses have the schema of the document."""
    paths = WITH_TOKEN_IDS if "/embed" in document(url)["paths"] else []
    skipped = [argument for path in paths for argument in ("--exclude-path", path)]
    program = Path(sys.executable).with_name("st")
    command = [str(program), "run", f"{url}/openapi.json", "--mode", "positive", "--checks", "all", *skipped]
    options = ["--max-examples", "15", "--seed", "1", "--request-timeout", "120", "--no-color"]
    # It writes what it found into the current folder.
    with TemporaryDirectory() as folder:
        result = subprocess.run([*command, *options], capture_output=True, text=True, cwd=folder)
    found = [line.strip() for line in result.stdout.splitlines() if line.startswith("- ") or "❌" in line]
    assert result.returncode == 0, "; ".join(found) or result.stdout[-300:] or result.stderr[-300:]


for model, url in URLS.items():
    for package, call, function in [
        ("openapi-spec-validator", f"document of {model}", valid),
        ("schemathesis", f"requests to {model}", accepted),
    ]:
        row = {"client": package, "version": version(package), "door": "/openapi.json", "call": call}
        try:
            function(url)
            row["problem"] = None
        except Exception as error:
            row["problem"] = f"{type(error).__name__}: {error}"[:300]
        print(json.dumps(row), flush=True)
