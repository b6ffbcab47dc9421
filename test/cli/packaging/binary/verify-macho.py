"""Checks the ad-hoc signature of a macOS executable without the project's own code: python3 verify-macho.py FILE

Written from <mach-o/loader.h> and XNU's cs_blobs.h. `rcodesign print-signature-info FILE` is a second opinion.
"""
import hashlib
import struct
import sys

data = open(sys.argv[1], "rb").read()
sha256 = lambda part: hashlib.sha256(part).digest()

# Load commands: __LINKEDIT must end with the signature, and the signature with the file.
count, length = struct.unpack_from("<2I", data, 16)
at, segments, start, size = 32, {}, None, None
for _ in range(count):
    command, command_length = struct.unpack_from("<2I", data, at)
    if command == 0x19:
        segments[data[at + 8 : at + 24].rstrip(b"\0")] = struct.unpack_from("<4Q", data, at + 24)
    if command == 0x1D:
        start, size = struct.unpack_from("<2I", data, at + 8)
    at += command_length
assert at == 32 + length, "load commands do not add up"
_, vm_size, offset, file_size = segments[b"__LINKEDIT"]
assert offset + file_size == start + size == len(data), "the signature is not the end of __LINKEDIT and of the file"
assert vm_size >= file_size and vm_size % 16384 == 0, "__LINKEDIT is not mapped in whole pages"

# The super blob: code directory, requirements, empty CMS wrapper, padding of zeros.
signature = data[start:]
magic, length, count = struct.unpack_from(">3I", signature)
assert (magic, count) == (0xFADE0CC0, 3) and not any(signature[length:]), "not an ad-hoc signature of three blobs"
blobs = {}
for index in range(count):
    slot, offset = struct.unpack_from(">2I", signature, 12 + 8 * index)
    blobs[slot] = signature[offset : offset + struct.unpack_from(">I", signature, offset + 4)[0]]
assert blobs[0x10000] == bytes.fromhex("fade0b0100000008"), "the CMS wrapper is not empty"

cd = blobs[0]
magic, length, version, flags, hashes, name, special, pages, limit = struct.unpack_from(">9I", cd)
assert (magic, length, version, flags) == (0xFADE0C02, len(cd), 0x20400, 2), "not an ad-hoc code directory"
assert struct.unpack_from(">4B", cd, 36) == (32, 2, 0, 12), "not SHA-256 of 4096-byte pages"
assert struct.unpack_from(">4Q", cd, 56) == (0, *segments[b"__TEXT"][2:], 1), "wrong executable segment"
assert limit == start and pages == -(-limit // 4096) and hashes + 32 * pages == len(cd), "wrong length"
assert special == 2 and cd[hashes - 64 : hashes] == sha256(blobs[2]) + bytes(32), "wrong special slots"
for page in range(pages):
    end = min(4096 * (page + 1), limit)
    slot = hashes + 32 * page
    assert cd[slot : slot + 32] == sha256(data[4096 * page : end]), f"page {page} does not match its hash"
print(f"ok: {cd[name : cd.index(0, name)].decode()}, {pages} pages, cdhash {sha256(cd)[:20].hex()}")
