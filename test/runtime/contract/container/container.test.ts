import { crc32 as zlibCrc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { crc32 } from '#contract/container/crc32.ts';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { encodeTail, layoutContainer } from '#contract/container/layout.ts';
import { findSection, readContainer } from '#contract/container/read.ts';
import { LOCATION_PLACEHOLDER, padLocation } from '#contract/weights-location.ts';

const sourceOf = (bytes: Uint8Array): ByteSource => ({
  name: 'file',
  size: bytes.length,
  readAt: (offset, length) => bytes.slice(offset, offset + length),
});

function container(): Uint8Array {
  const layout = layoutContainer(100, [
    { name: 'weights', length: 70_000 },
    { name: 'manifest', length: 5 },
  ]);
  const hashes = new Map(
    layout.parts.map(({ name }, index) => [name, { crc32: index, sha256: String(index).repeat(64) }]),
  );
  const file = new Uint8Array(layout.end);
  file.set(encodeTail(layout, hashes), layout.indexOffset);
  return file;
}

describe('a container', () => {
  test('is read with its layout: aligned, in order, with a length that is a multiple of 16', () => {
    const file = container();
    const read = readContainer(sourceOf(file));
    expect(read.sections.map(({ name, offset, length }) => [name, offset, length])).toEqual([
      ['executable', 0, 100],
      ['weights', 65_536, 70_000],
      ['manifest', 196_608, 5],
    ]);
    expect(file.length % 16).toBe(0);
    expect(findSection(read, 'graph')).toBeUndefined();
  });

  test('is rejected if it is truncated or modified anywhere', () => {
    const file = container();
    const tail = file.length - 400;
    for (let at = tail; at < file.length; at++) {
      const cut = sourceOf(file.subarray(0, at));
      expect(() => readContainer(cut)).toThrow(/is not an encoderfile executable, or it is truncated/);
      if (file[at] === 0) continue;
      const changed = file.slice();
      changed[at] = (changed[at] ?? 0) ^ 0xff;
      expect(() => readContainer(sourceOf(changed))).toThrow(/corrupted|truncated/);
    }
  });
});

test('crc32 returns the same value as zlib', () => {
  const bytes = Uint8Array.from({ length: 999 }, (_, index) => (index * 31) % 256);
  expect(crc32(bytes)).toBe(zlibCrc32(bytes));
});

test('the location of any file name is padded to a constant width and still refers to the file', () => {
  for (const name of ['a', 'ab', 'ein Modell', '模型.encoder', 'x'.repeat(255)]) {
    expect(Buffer.byteLength(padLocation(name))).toBe(Buffer.byteLength(LOCATION_PLACEHOLDER));
    expect(padLocation(name).replace(/^(\.\/)+\/?/, '')).toBe(name);
  }
});
