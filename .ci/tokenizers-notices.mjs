// Writes the notices of the Rust crates in the tokenizers package, which does not contain them. Needs cargo and network access, and is run
// only when the version of tokenizers changes. See templates/notices/README.md.
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const installed = join(root, 'node_modules/tokenizers');
const { version } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
const LIBRARIES = ['linux-x64-gnu', 'linux-arm64-gnu', 'darwin-arm64', 'win32-x64-msvc'];
const TARGETS = [
  'x86_64-unknown-linux-gnu',
  'aarch64-unknown-linux-gnu',
  'aarch64-apple-darwin',
  'x86_64-pc-windows-msvc',
];
// The two crates in the package; all others are their dependencies. Nothing is compiled here.
const MANIFEST = `[package]
name = "node"
version = "0.0.0"
edition = "2021"
[dependencies]
napi = "3"
tokenizers = "=${version}"
`;
// If a crate has a choice of licenses, the texts of the first available one are used.
const PREFERRED = [/mit/i, /apache/i, /./];
// Code in other languages inside crates.
const EMBEDDED = {
  onig_sys: ['oniguruma/COPYING'],
  'esaxx-rs': ['src/esa.hxx', 'src/sais.hxx'],
};
// Crates without a license file use the file of the package.
const FROM_PACKAGE = new Set(['napi', 'napi-sys']);
const IS_LICENSE = /^(licen[cs]e|copying|unlicense|notice)/i;

const scratch = mkdtempSync(join(tmpdir(), 'tokenizers-notices-'));
const cargo = (...args) =>
  execFileSync('cargo', args, {
    cwd: scratch,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
    maxBuffer: 2 ** 26,
  });
mkdirSync(join(scratch, 'src'));
writeFileSync(join(scratch, 'src/lib.rs'), '');
writeFileSync(join(scratch, 'Cargo.toml'), MANIFEST);
cargo('generate-lockfile', '--quiet');
for (const [, name, exact] of cratesInLibraries()) {
  const locked = new RegExp(`name = "${name}"\\nversion = "([^"]+)"`).exec(
    readFileSync(join(scratch, 'Cargo.lock'), 'utf8'),
  )?.[1];
  if (locked === undefined) throw new Error(`${name} ${exact} is in the library, but not a dependency`);
  if (locked !== exact) cargo('update', '--quiet', '-p', `${name}@${locked}`, '--precise', exact);
}
cargo('vendor', '--quiet', 'vendor');
const crates = new Set(
  TARGETS.flatMap((target) =>
    cargo('tree', '-e', 'normal,no-proc-macro', '--prefix', 'none', '--target', target, '--format', '{p}|{l}')
      .split('\n')
      .map((line) => line.replace(' (*)', ''))
      .filter((line) => line !== '' && !line.startsWith('node ')),
  ),
);
const sections = [...crates]
  .sort((a, b) => (a < b ? -1 : 1))
  .map((line) => {
    const [, name, crateVersion, license] = /^(\S+) v(\S+)[^|]*\|(.*)$/.exec(line);
    return `${name} ${crateVersion} (${license})\n\n${textsOf(name).join('\n\n')}\n`;
  });
sections.push(`The Rust standard library (MIT OR Apache-2.0)\n\n${rustLicense()}\n`);
const output = join(root, `templates/notices/tokenizers@${version}`);
mkdirSync(output, { recursive: true });
writeFileSync(join(output, 'RUST-CRATES.txt'), sections.join(`\n${'-'.repeat(80)}\n`));
rmSync(scratch, { recursive: true, force: true });
console.log(`${sections.length} crates`);

/** The crates and versions that are named in the messages of the installed libraries. */
function cratesInLibraries() {
  const found = new Map();
  for (const library of LIBRARIES) {
    const text = readFileSync(join(installed, `tokenizers.${library}.node`), 'latin1');
    for (const match of text.matchAll(
      /index\.crates\.io-[0-9a-f]+[/\\]([\w-]+?)-(\d+\.\d+\.\d+[\w.+-]*)[/\\]/g,
    ))
      found.set(match[1], match);
  }
  return found.values();
}

function textsOf(name) {
  if (FROM_PACKAGE.has(name)) return [textOf(join(installed, 'LICENSE'))];
  const folder = join(scratch, 'vendor', name);
  const names = readdirSync(folder).filter((file) => IS_LICENSE.test(file));
  const preferred = PREFERRED.map((pattern) => names.filter((file) => pattern.test(file))).find(
    (files) => files.length > 0,
  );
  if (!preferred) throw new Error(`${name} has no license file: add its text by hand`);
  const notices = names.filter((file) => /^notice/i.test(file));
  const files = new Set([...preferred, ...notices, ...(EMBEDDED[name] ?? [])]);
  return [...files].map((file) => textOf(join(folder, file)));
}

function textOf(file) {
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim();
  return /\.[ch]xx$/.test(file) ? text.slice(0, text.indexOf('*/') + 2) : text;
}

function rustLicense() {
  const sysroot = execFileSync('rustc', ['--print', 'sysroot'], { encoding: 'utf8' }).trim();
  const text = readFileSync(join(sysroot, 'share/doc/rust/licenses/MIT.txt'), 'utf8');
  return text
    .slice(text.indexOf('Permission is'))
    .replace(/^/, 'Copyright (c) The Rust Project Contributors\n\n')
    .trim();
}
