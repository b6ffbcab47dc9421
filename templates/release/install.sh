#!/bin/sh
# Installs encoderfile, mcp-manager or gateway {{version}}: downloads the executable for this machine, checks its SHA-256 and
# puts it into a folder. Usage: install.sh [--dir FOLDER] [--url URL] [PROGRAM ...]
set -eu

version='{{version}}'
url="${ENCODERFILE_RELEASE_URL:-{{url}}}"
dir="${ENCODERFILE_INSTALL_DIR:-${HOME:-}/.local/bin}"
programs=''

# SHA-256 of each executable of this version. The script comes from the release itself; the executables may come from a mirror.
hashes='
{{hashes}}
'

say() {
  printf '%s\n' "$1"
}

fail() {
  say "Error: $1" >&2
  exit 1
}

while [ $# -gt 0 ]; do
  case $1 in
    --dir) [ $# -ge 2 ] || fail '--dir needs a folder.'; dir=$2; shift 2 ;;
    --url) [ $# -ge 2 ] || fail '--url needs a URL.'; url=$2; shift 2 ;;
    -h | --help)
      say 'Usage: install.sh [--dir FOLDER] [--url URL] [encoderfile|mcp-manager|gateway ...]'
      say "Installs encoderfile $version from $url to $dir."
      exit 0
      ;;
    encoderfile | mcp-manager | gateway) programs="$programs $1"; shift ;;
    *) fail "Unknown argument $1. Programs: encoderfile, mcp-manager, gateway." ;;
  esac
done
url=${url%/}
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
# A shell that macOS translates for Intel processors reports one.
if [ "$os" = macos ] && [ "$(sysctl -n hw.optional.arm64 2> /dev/null)" = 1 ]; then cpu=arm64; fi
platform=$os-$cpu
[ "$platform" != macos-x64 ] || fail 'Macs with Intel processors are not supported: ONNX Runtime has no library for them.'

if command -v curl > /dev/null 2>&1; then
  download() { curl -fsSL --retry 3 -o "$2" "$1"; }
elif command -v wget > /dev/null 2>&1; then
  download() { wget -q -O "$2" "$1"; }
else
  fail 'Neither curl nor wget is installed. Install one of them.'
fi
if command -v sha256sum > /dev/null 2>&1; then
  hash_of() { sha256sum < "$1" | cut -d ' ' -f 1; }
elif command -v shasum > /dev/null 2>&1; then
  hash_of() { shasum -a 256 < "$1" | cut -d ' ' -f 1; }
else
  fail 'Neither sha256sum nor shasum is installed. Install one of them.'
fi

mkdir -p "$dir" || fail "Cannot create $dir. Pass --dir FOLDER."
dir=$(cd "$dir" && pwd)
scratch=$(mktemp -d "$dir/.install.XXXXXX") || fail "Cannot write to $dir. Pass --dir FOLDER."
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM HUP

for program in $programs; do
  name=$program-$platform
  expected=$(say "$hashes" | sed -n "s/^\([0-9a-f]*\)  $name\$/\1/p")
  [ -n "$expected" ] || fail "Version $version has no $name."
  [ ! -d "$dir/$program" ] || fail "Cannot write $dir/$program: it is a folder. Pass --dir FOLDER."
  say "Downloading $program $version for $platform ..." >&2
  download "$url/$name" "$scratch/$program" || fail "Cannot download $url/$name."
  actual=$(hash_of "$scratch/$program")
  [ "$actual" = "$expected" ] ||
    fail "The download of $program was discarded: its SHA-256 is $actual, expected $expected. Try again."
  chmod 755 "$scratch/$program"
  "$scratch/$program" version > /dev/null ||
    fail "$program cannot run on this system. It needs glibc 2.28 or newer and libstdc++ (not musl), and a folder that allows execution."
  mv -f "$scratch/$program" "$dir/$program" || fail "Cannot write $dir/$program."
  say "Installed $dir/$program"
done
case ":$PATH:" in
  *":$dir:"*) ;;
  *) say "Add $dir to your PATH:  export PATH=\"$dir:\$PATH\"" ;;
esac
