import { expect, test } from 'vitest';
import { executablePlatform, HEADER_BYTES } from '#gateway/evaluation/jobs/files/executable-platform.ts';

/** Bytes with little-endian numbers of a given size at given positions. */
function header(start: string, ...numbers: readonly [at: number, bytes: 2 | 4, value: number][]): Buffer {
  const bytes = Buffer.alloc(512);
  bytes.write(start, 'latin1');
  for (const [at, length, value] of numbers) bytes.writeUIntLE(value, at, length);
  return bytes;
}

test.each([
  ['linux-x64', header('\x7FELF', [18, 2, 62])],
  ['linux-arm64', header('\x7FELF', [18, 2, 183])],
  ['darwin-arm64', header('', [0, 4, 0xfe_ed_fa_cf], [4, 4, 0x01_00_00_0c])],
  ['darwin-x64', header('', [0, 4, 0xfe_ed_fa_cf], [4, 4, 0x01_00_00_07])],
  ['win32-x64', header('MZ', [60, 4, 256], [260, 2, 0x86_64])],
  ['win32-arm64', header('MZ', [60, 4, 256], [260, 2, 0xaa_64])],
  [null, header('\x7FELF', [18, 2, 243])],
  [null, header('MZ', [60, 4, HEADER_BYTES])],
  [null, Buffer.from('\x7FELF', 'latin1')],
  [null, Buffer.from('#!/bin/sh\n')],
  [null, Buffer.alloc(0)],
])('the platform %s is detected from the first bytes', (platform, bytes) => {
  expect(executablePlatform(bytes)).toBe(platform);
});
