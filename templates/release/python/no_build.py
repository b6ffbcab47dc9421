"""Build backend of the source distribution, which only explains why it cannot be built."""

import sys


def refuse(*args, **kwargs):
    sys.exit(
        "Error: {{name}} {{version}} cannot be built from this source distribution, because its executable is not written in Python; "
        "there are wheels for {{platforms}} (on Linux with glibc; see {{homepage}})."
    )


get_requires_for_build_wheel = refuse
get_requires_for_build_sdist = refuse
get_requires_for_build_editable = refuse
prepare_metadata_for_build_wheel = refuse
prepare_metadata_for_build_editable = refuse
build_wheel = refuse
build_sdist = refuse
build_editable = refuse
