import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readElfNeeds } from '#cli/packaging/binary/elf-needs.ts';

const MODULES = join(import.meta.dirname, '../../../../node_modules');
const ONNXRUNTIME = join(MODULES, 'onnxruntime-node/bin/napi-v6/linux');

it.each([
  ['x64', 62, 'ld-linux-x86-64.so.2'],
  ['arm64', 183, 'ld-linux-aarch64.so.1'],
])('reads the requirements of a library for %s', (cpu, machine, loader) => {
  const needs = readElfNeeds(readFileSync(join(ONNXRUNTIME, cpu, 'libonnxruntime.so.1')));
  expect(needs).toMatchObject({ machine, interpreter: undefined });
  expect(needs?.libraries).toEqual(expect.arrayContaining(['libc.so.6', 'libstdc++.so.6', loader]));
});

it.runIf(process.platform === 'linux')('reads the loader of a program', () => {
  expect(readElfNeeds(readFileSync(process.execPath))?.interpreter).toMatch(/^\/lib(64)?\/ld-linux-/);
});

it('ignores other files', () => {
  expect(readElfNeeds(new TextEncoder().encode('INPUT ( /lib/libc.so.6 )'))).toBeUndefined();
  expect(readElfNeeds(new Uint8Array(64))).toBeUndefined();
});
