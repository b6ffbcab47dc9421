import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import type { NativeFile, NativeList } from '#contract/native.ts';
import { findUnpacked } from '#platform/native/find-unpacked.ts';
import { addNative, unpackNative } from '#platform/native/unpack.ts';
import { sha256 } from '#platform/sha256.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const CONTENTS: Readonly<Record<string, string>> = { library: 'of the CPU', compiler: 'of shaders' };

const fileOf = (name: string): NativeFile => {
  const text = CONTENTS[name] ?? '';
  return { name, bytes: text.length, sha256: sha256(text) };
};
const LIST: NativeList = {
  key: sha256('key'),
  files: [fileOf('library')],
  gpuFiles: [fileOf('compiler')],
};
const read: string[] = [];
const readAsset = (name: string): Uint8Array => {
  read.push(name);
  return zstdCompressSync(Buffer.from(CONTENTS[name] ?? ''));
};

test('files for GPUs are added to the folder when they are needed, and only once', () => {
  read.length = 0;
  const place = unpackNative(folder(), LIST, readAsset);
  expect(readdirSync(place)).toEqual(['library']);
  for (let start = 0; start < 2; start += 1) addNative(place, LIST.gpuFiles ?? [], readAsset);
  expect(readdirSync(place).sort()).toEqual(['compiler', 'library']);
  expect(readFileSync(join(place, 'compiler'), 'utf8')).toBe('of shaders');
  expect(read).toEqual(['library', 'compiler']);
  expect(findUnpacked(folder(), LIST)).toBe(place);
});

test('a file for GPUs that was changed or is incomplete is replaced', () => {
  const place = unpackNative(folder(), LIST, readAsset);
  writeFileSync(join(place, 'compiler'), 'of sha');
  addNative(place, LIST.gpuFiles ?? [], readAsset);
  expect(readFileSync(join(place, 'compiler'), 'utf8')).toBe('of shaders');
});

test('a file that does not match its hash is not added', () => {
  const place = unpackNative(folder(), LIST, readAsset);
  const wrong = { ...fileOf('compiler'), sha256: sha256('other') };
  expect(() => addNative(place, [wrong], readAsset)).toThrow('compiler inside the executable is corrupted');
  expect(readdirSync(place)).toEqual(['library']);
});
