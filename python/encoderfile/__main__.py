"""Runs the build tool: `python -m encoderfile build ./model`."""

from __future__ import annotations

import sys

from ._errors import EncoderfileError
from ._tool import main

if __name__ == "__main__":
    try:
        sys.exit(main())
    except EncoderfileError as error:
        sys.exit(f"Error: {error}")
