#!/bin/sh
# Installs encoderfile, mcp-manager or gateway {{version}}: downloads the executable for this machine, checks its SHA-256 and
# puts it into a folder. Usage: install.sh [--dir FOLDER] [--url URL] [PROGRAM ...]
set -eu

version='{{version}}'
url="${ENCODERFILE_RELEASE_URL:-{{url}}}"
dir="${ENCODERFILE_INSTALL_DIR:-${HOME:-}/.local/bin}"
programs=''

fail() {
  echo "Error: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --dir) [ $# -ge 2 ] || fail '--dir needs a folder.'; dir=$2; shift 2 ;;
    --url) [ $# -ge 2 ] || fail '--url needs a URL.'; url=$2; shift 2 ;;
    -h | --help)
      echo "Usage: install.sh [--dir FOLDER] [--url URL] [encoderfile|mcp-manager|gateway ...]"
      echo "Installs encoderfile $version from $url to $dir."
      exit 0
      ;;
    encoderfile | mcp-manager | gateway) programs="$programs $1"; shift ;;
    *) fail "Unknown argument $1. Programs: encoderfile, mcp-manager, gateway." ;;
  esac
done
[ -n "$programs" ] || programs=encoderfile
[ "$dir" != /.local/bin ] || fail 'HOME is not set. Pass --dir FOLDER.'

case $(uname -s) in
  Linux) os=linux ;;
  Darwin) os=macos ;;
  *) fail "No executables for $(uname -s). On Windows, download the .exe files from $url." ;;
esac
case $(uname -m) in
  x86_64 | amd64) cpu=x64 ;;
  aarch64 | arm64) cpu=arm64 ;;
  *) fail "No executables for processors of type $(uname -m)." ;;
esac
platform=$os-$cpu
[ "$platform" != macos-x64 ] || fail 'Macs with Intel processors are not supported: ONNX Runtime has no library for them.'
if [ "$os" = linux ]; then
  for loader in /lib/ld-musl-*; do
    [ ! -e "$loader" ] || [ -e /lib64/ld-linux-x86-64.so.2 ] || [ -e /lib/ld-linux-aarch64.so.1 ] ||
      fail 'This system has musl instead of glibc (Alpine, for example). Use a system with glibc 2.28 or newer.'
  done
fi

if command -v curl > /dev/null 2>&1; then
  download() { curl -fsSL --retry 3 -o "$2" "$1"; }
elif command -v wget > /dev/null 2>&1; then
  download() { wget -q -O "$2" "$1"; }
else
  fail 'Neither curl nor wget is installed. Install one of them.'
fi
if command -v sha256sum > /dev/null 2>&1; then
  hash_of() { sha256sum "$1" | cut -d ' ' -f 1; }
elif command -v shasum > /dev/null 2>&1; then
  hash_of() { shasum -a 256 "$1" | cut -d ' ' -f 1; }
else
  fail 'Neither sha256sum nor shasum is installed. Install one of them.'
fi

mkdir -p "$dir" || fail "Cannot create $dir. Pass --dir FOLDER."
scratch=$(mktemp -d "$dir/.install.XXXXXX") || fail "Cannot write to $dir. Pass --dir FOLDER."
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

download "$url/SHA256SUMS" "$scratch/SHA256SUMS" || fail "Cannot download $url/SHA256SUMS."
for program in $programs; do
  name=bin/$program-$platform
  expected=$(awk -v name="$name" '$2 == name { print $1 }' "$scratch/SHA256SUMS")
  [ -n "$expected" ] || fail "The release at $url has no $name."
  echo "Downloading $program $version for $platform ..." >&2
  # A public host has all files of a release in one folder; the folder of the release itself has executables in bin/.
  download "$url/$program-$platform" "$scratch/$program" 2> /dev/null ||
    download "$url/$name" "$scratch/$program" || fail "Cannot download $url/$program-$platform."
  actual=$(hash_of "$scratch/$program")
  [ "$actual" = "$expected" ] ||
    fail "The download of $program was discarded: its SHA-256 is $actual, expected $expected. Try again."
  chmod 755 "$scratch/$program"
  mv -f "$scratch/$program" "$dir/$program" || fail "Cannot write $dir/$program."
  echo "Installed $dir/$program"
done
case ":$PATH:" in
  *":$dir:"*) ;;
  *) echo "Add $dir to your PATH:  export PATH=\"$dir:\$PATH\"" ;;
esac
