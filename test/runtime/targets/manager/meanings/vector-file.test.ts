import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync, rmSync, chmodSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from 'vitest';
import {
  formatVectors,
  openVectorFile,
  parseVectors,
  type VectorFile,
} from '#manager/meanings/vector-file.ts';
import { sha256 } from '#platform/sha256.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { testKernel } from '#test/helpers/test-kernel.ts';

const temp = useTempFolder();
const SAVED = {
  probe: Float32Array.of(0.6, 0.8),
  vectors: new Map([
    [sha256('one'), Float32Array.of(1, 0)],
    [sha256('two'), Float32Array.of(0, -1)],
  ]),
};
let folder: string;
let file: VectorFile;
let logged: readonly Record<string, unknown>[];
const path = (): string => join(folder, `${sha256('/m.encoder')}.vectors`);
const reopen = (): void => {
  const kernel = testKernel();
  logged = kernel.logged;
  file = openVectorFile(folder, '/m.encoder', kernel.log);
};
beforeEach(() => {
  folder = join(temp(), 'state', 'search-vectors');
  reopen();
});

test('saved vectors are returned after a restart, in a file that only the user can read', async () => {
  expect(await file.load()).toBeUndefined();
  await file.save(SAVED);
  reopen();
  expect(await file.load()).toEqual(SAVED);
  expect(statSync(path()).mode & 0o777).toBe(0o600);
  expect(statSync(folder).mode & 0o777).toBe(0o700);
  expect(logged).toEqual([]);
});

const changed = (change: (bytes: Buffer) => Buffer): Buffer => change(formatVectors(SAVED));
const HEADER_END = formatVectors(SAVED).indexOf('\n');

describe('a file is ignored with a warning', () => {
  test.each([
    ['an empty file', Buffer.alloc(0), /damaged/],
    ['a file without a header line', Buffer.alloc(2000, 'x'), /damaged/],
    ['a truncated file', changed((bytes) => bytes.subarray(0, -1)), /damaged/],
    ['a longer file', changed((bytes) => Buffer.concat([bytes, Buffer.from([0])])), /damaged/],
    [
      'a changed number',
      changed((bytes) => {
        bytes[bytes.length - 1] = 0x7f;
        return bytes;
      }),
      /damaged/,
    ],
    [
      'another version',
      changed((bytes) =>
        Buffer.from(bytes.toString('latin1').replace('"version":1', '"version":9'), 'latin1'),
      ),
      /another version/,
    ],
    [
      'a huge count',
      changed((bytes) =>
        Buffer.from(bytes.toString('latin1').replace('"count":2', '"count":9e15'), 'latin1'),
      ),
      /damaged/,
    ],
    ['numbers that are not finite', formatVectors({ ...SAVED, probe: Float32Array.of(NaN, 1) }), /damaged/],
  ])('if it is %s', async (_what, bytes, reason) => {
    await file.save(SAVED);
    writeFileSync(path(), bytes);
    expect(await file.load()).toBeUndefined();
    expect(logged.map(({ msg }) => msg)).toEqual([expect.stringMatching(reason)]);
    await file.save(SAVED);
    expect(await file.load()).toEqual(SAVED);
  });

  test('if other users can write to it, or it is a link', async () => {
    await file.save(SAVED);
    chmodSync(path(), 0o666);
    expect(await file.load()).toBeUndefined();
    const other = join(temp(), 'other');
    writeFileSync(other, formatVectors(SAVED));
    rmSync(path());
    symlinkSync(other, path());
    expect(await file.load()).toBeUndefined();
    expect(logged).toHaveLength(2);
    await file.save({ ...SAVED, vectors: new Map() });
    expect(parseVectors(readFileSync(other))).toEqual(SAVED);
    expect((await file.load())?.vectors.size).toBe(0);
  });
});

test('a folder that cannot be written to is reported once', async () => {
  mkdirSync(join(temp(), 'state'));
  writeFileSync(folder, 'a file');
  await file.save(SAVED);
  await file.save(SAVED);
  expect(logged.map(({ msg }) => msg)).toEqual([expect.stringMatching(/^cannot save search vectors/)]);
});

test('the header of a file is one line of JSON', () => {
  const { sha256: digest, ...facts } = JSON.parse(
    formatVectors(SAVED).toString('utf8', 0, HEADER_END),
  ) as Record<string, unknown>;
  expect(facts).toEqual({ version: 1, dimension: 2, count: 2 });
  expect(digest).toMatch(/^[\da-f]{64}$/);
});
