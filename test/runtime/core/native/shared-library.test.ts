import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { readSharedLibrary } from '#core/native/shared-library.ts';

const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
// Not a Buffer, because its slices share the memory.
const read = (platform: string, file: string): Uint8Array =>
  new Uint8Array(readFileSync(join(folder, 'bin/napi-v6', platform, file)));
const ADDON = read('linux/x64', 'onnxruntime_binding.node');
const { version } = createRequire(import.meta.url)('onnxruntime-node/package.json') as { version: string };

/** Rejects reads beyond the end, as a file does. */
function sourceOf(bytes: Uint8Array): ByteSource {
  return {
    name: 'library.so',
    size: bytes.length,
    readAt(offset, length) {
      if (offset + length > bytes.length) throw new Error('read beyond the end');
      return bytes.slice(offset, offset + length);
    },
  };
}

test('the libraries that a library links to, and the versions in it, are read', () => {
  const addon = readSharedLibrary(sourceOf(ADDON));
  expect(addon?.needed).toEqual(expect.arrayContaining(['libonnxruntime.so.1', 'libc.so.6']));
  expect(addon?.needed.every((name) => /^[\w.+-]+$/.test(name))).toBe(true);
  const library = readSharedLibrary(sourceOf(read('linux/x64', 'libonnxruntime.so.1')));
  expect(library?.versions).toContain(version);
});

test('other files, and libraries for other CPUs, are not libraries', () => {
  expect(readSharedLibrary(sourceOf(new Uint8Array()))).toBeUndefined();
  expect(readSharedLibrary(sourceOf(Buffer.from('#!/bin/sh\n'.repeat(20))))).toBeUndefined();
  expect(readSharedLibrary(sourceOf(read('linux/arm64', 'onnxruntime_binding.node')))).toBeUndefined();
  expect(readSharedLibrary(sourceOf(read('win32/x64', 'onnxruntime_binding.node')))).toBeUndefined();
});

const header = new DataView(ADDON.buffer);
const sections = Number(header.getBigUint64(40, true));

test('sections with names beyond the end of the names have no names', () => {
  const damaged = ADDON.slice();
  const view = new DataView(damaged.buffer);
  const [size, count] = [header.getUint16(58, true), header.getUint16(60, true)];
  for (let index = 0; index < count; index += 1) view.setUint32(sections + index * size, 0xff_ff_ff_f0, true);
  expect(readSharedLibrary(sourceOf(damaged))).toEqual({
    needed: readSharedLibrary(sourceOf(ADDON))?.needed,
    versions: [],
  });
});

test('damaged libraries never cause a read beyond the end', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          at: fc.oneof(fc.integer({ min: 4, max: 63 }), fc.integer({ min: sections, max: ADDON.length - 1 })),
          value: fc.integer({ min: 0, max: 255 }),
        }),
        { minLength: 1, maxLength: 12 },
      ),
      fc.option(fc.integer({ min: 0, max: ADDON.length })),
      (changes, end) => {
        const damaged = ADDON.slice(0, end ?? ADDON.length);
        for (const { at, value } of changes) if (at < damaged.length) damaged[at] = value;
        // Reads beyond the end throw.
        expect(() => readSharedLibrary(sourceOf(damaged))).not.toThrow();
      },
    ),
    { numRuns: 150 },
  );
});
