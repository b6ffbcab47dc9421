"""Reads Mach-O files for arm64 without the project's own code: read_macho.py FILE...

Prints one JSON object per line: oldest macOS version, linked libraries, search paths, and the facts of the signature after its hashes were
recomputed. Written from <mach-o/loader.h> and XNU's cs_blobs.h.
"""

import hashlib
import json
import plistlib
import struct
import sys

MACHO_64, ARM64, EXECUTE = 0xFEEDFACF, 0x0100000C, 2
SEGMENT, SYMBOLS, SIGNATURE, BUILD_VERSION, RPATH, ID_DYLIB = 0x19, 0x2, 0x1D, 0x32, 0x8000001C, 0xD
LOAD_DYLIBS = {0xC: "required", 0x80000018: "weak", 0x8000001F: "re-exported"}
DIRECTORY, ENTITLEMENTS = 0, 5
HASHES = {1: hashlib.sha1, 2: hashlib.sha256}


def version(number: int) -> str:
    return f"{number >> 16}.{number >> 8 & 255}"


def read(path: str) -> dict:
    with open(path, "rb") as file:
        data = file.read()
    magic, processor, _, kind, count, length = struct.unpack_from("<6I", data)
    assert (magic, processor) == (MACHO_64, ARM64), f"{path} is not a thin Mach-O file for arm64"
    facts = {"path": path, "executable": kind == EXECUTE, "libraries": [], "searchPaths": [], "segments": []}
    at, signature = 32, None
    for _ in range(count):
        command, size = struct.unpack_from("<2I", data, at)
        assert size >= 8 and size % 8 == 0, f"{path}: a load command of {size} bytes"
        text = lambda: data[at + struct.unpack_from("<I", data, at + 8)[0] : at + size].split(b"\0")[0].decode()
        if command == SEGMENT:
            name = data[at + 8 : at + 24].rstrip(b"\0").decode()
            address, memory, offset, stored = struct.unpack_from("<4Q", data, at + 24)
            maximum, initial = struct.unpack_from("<2I", data, at + 56)
            assert offset + stored <= len(data) and stored <= memory, f"{path}: {name} is not in the file"
            # Apple silicon never maps pages that are writable and executable, except for JIT compilers.
            assert maximum & 6 != 6 and initial & 6 != 6, f"{path}: {name} is writable and executable"
            assert offset % 16384 == 0 and address % 16384 == 0, f"{path}: {name} is not aligned to pages of 16 KiB"
            facts["segments"].append(name)
        elif command == BUILD_VERSION:
            platform, oldest = struct.unpack_from("<2I", data, at + 8)
            assert platform == 1, f"{path} is for platform {platform}, not macOS"
            facts["oldest"] = version(oldest)
        elif command in LOAD_DYLIBS:
            facts["libraries"].append({"name": text(), "kind": LOAD_DYLIBS[command]})
        elif command == RPATH:
            facts["searchPaths"].append(text())
        elif command == SIGNATURE:
            signature = struct.unpack_from("<2I", data, at + 8)
        at += size
    assert at == 32 + length, f"{path}: load commands do not add up"
    assert signature, f"{path} has no signature"
    return {**facts, **read_signature(path, data, *signature)}


def read_signature(path: str, data: bytes, start: int, size: int) -> dict:
    blobs = {}
    (count,) = struct.unpack_from(">I", data, start + 8)
    for index in range(count):
        slot, offset = struct.unpack_from(">2I", data, start + 12 + 8 * index)
        (length,) = struct.unpack_from(">I", data, start + offset + 4)
        assert offset + length <= size, f"{path}: a part of the signature ends after it"
        blobs[slot] = data[start + offset : start + offset + length]
    # Further code directories with other hash functions are in slots from 0x1000.
    directories = [blob for slot, blob in blobs.items() if slot == DIRECTORY or 0x1000 <= slot < 0x1006]
    for directory in directories:
        check_hashes(path, data, start, directory, blobs)
    flags = struct.unpack_from(">I", directories[0], 12)[0]
    entitlements = blobs.get(ENTITLEMENTS)
    return {
        "adHoc": bool(flags & 2),
        "hardened": bool(flags & 0x10000),
        "entitlements": sorted(plistlib.loads(entitlements[8:])) if entitlements else [],
        "pages": sum(struct.unpack_from(">I", one, 28)[0] for one in directories),
    }


def check_hashes(path: str, data: bytes, start: int, directory: bytes, blobs: dict) -> None:
    hashes, _, special, pages, limit = struct.unpack_from(">5I", directory, 16)
    length, kind, _, page_bits = struct.unpack_from(">4B", directory, 36)
    digest = lambda part: HASHES[kind](part).digest()[:length]
    page_size = 1 << page_bits
    assert limit <= start and pages == -(-limit // page_size), f"{path}: the signature covers {limit} of {start} bytes"
    for page in range(pages):
        expected = directory[hashes + length * page : hashes + length * (page + 1)]
        part = data[page_size * page : min(page_size * (page + 1), limit)]
        assert digest(part) == expected, f"{path}: page {page} does not match its hash"
    for slot in range(1, special + 1):
        expected = directory[hashes - length * slot : hashes - length * (slot - 1)]
        if slot in blobs:
            assert digest(blobs[slot]) == expected, f"{path}: part {slot} of the signature does not match its hash"


for file in sys.argv[1:]:
    print(json.dumps(read(file)))
