"""Uses huggingface_hub for test/hub/run.ts: `use_cache.py snapshot REPOSITORY [PATTERN...]` prints the folder of the snapshot."""

import sys

from huggingface_hub import snapshot_download

_, command, repository, *patterns = sys.argv
assert command == "snapshot"
print(snapshot_download(repository, allow_patterns=patterns or None))
