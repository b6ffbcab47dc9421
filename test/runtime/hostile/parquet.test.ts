import { readdirSync, readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readRows } from '#gateway/evaluation/datasets/read/read-rows.ts';

const FIXTURES = new URL('../../../fixtures/datasets/', import.meta.url);

const read = (bytes: Uint8Array): Promise<unknown[]> =>
  Array.fromAsync(readRows('a.parquet', Readable.from([Buffer.from(bytes)])));

/** The number of event loop turns while a file was read, and the error. */
async function turnsWhile(work: Promise<unknown>): Promise<{ turns: number; error: string }> {
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 5);
  const error = await work.then(
    () => '',
    (reason: unknown) => String(reason),
  );
  clearInterval(timer);
  return { turns, error };
}

test.each([
  [
    'declares 9,000,000,000,000 rows',
    'UEFSMRUAFR4VHiwVBhUAFQYVBgAAAQAAAGEBAAAAYQEAAABhFQIZLEgGc2NoZW1hFQIAFQwlABgIZXhhbXBsZXMlAAAWgMDsnO+LBBkcGRwmCBwVDBklBgAZGAhleGFtcGxlcxUAFgYWQBZAJggAABZAFgYAAFIAAABQQVIx',
    'rows, more than',
  ],
  [
    'has a run of 400,000,000 values',
    'UEFSMRUAFRQVFCwVgJC8/QIVABUGFQYAAAYAAACAkLz9AgAVAhksSAZzY2hlbWEVAgAVDCUCGAhleGFtcGxlcyUAABaAkLz9AhkcGRwmCBwVDBklBgAZGAhleGFtcGxlcxUAFoCQvP0CFj4WPiYIAAAWPhaAkLz9AgAAWAAAAFBBUjE=',
    'rows, more than',
  ],
])(
  'a file that %s is rejected, and other requests are served in the meantime',
  async (_what, base64, reason) => {
    const { error } = await turnsWhile(read(Buffer.from(base64, 'base64')));
    expect(error).toContain('Cannot read the dataset as Parquet: it has ');
    expect(error).toContain(reason);
  },
);

test('a run longer than its page does not exhaust memory', async () => {
  // The second file has one row: its header, column and row group declare 1 value, but its run declares 400,000,000.
  const bomb = Buffer.from(
    'UEFSMRUAFRQVFCwVgJC8/QIVABUGFQYAAAYAAACAkLz9AgAVAhksSAZzY2hlbWEVAgAVDCUCGAhleGFtcGxlcyUAABaAkLz9AhkcGRwmCBwVDBklBgAZGAhleGFtcGxlcxUAFoCQvP0CFj4WPiYIAAAWPhaAkLz9AgAAWAAAAFBBUjE=',
    'base64',
  );
  const promised = Buffer.from([0x80, 0x90, 0xbc, 0xfd, 0x02]);
  // The same number of values with one row, in the same number of bytes.
  const one = Buffer.from([0x82, 0x80, 0x80, 0x80, 0x00]);
  const run = bomb.indexOf(promised, bomb.indexOf(promised) + 1);
  for (let at = bomb.indexOf(promised); at !== -1; at = bomb.indexOf(promised, at + 1))
    if (at !== run) one.copy(bomb, at);
  const before = process.memoryUsage().rss;
  const { error } = await turnsWhile(read(bomb));
  expect(error).toContain('object is not extensible');
  expect(process.memoryUsage().rss - before).toBeLessThan(400e6);
});

test('damaged files cause an error message', async () => {
  const files = readdirSync(FIXTURES)
    .filter((name) => name.endsWith('.parquet'))
    .map((name) => readFileSync(new URL(name, FIXTURES)));
  let seed = 20_261_128;
  const random = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff;
    return seed % below;
  };
  for (let round = 0; round < 40; round += 1) {
    const file = Buffer.from(files[random(files.length)] as Buffer);
    for (let changes = 0; changes <= random(4); changes += 1) {
      const fromEnd = random(2) === 0 ? file.length : Math.min(file.length, 600);
      file[file.length - 1 - random(fromEnd)] = [0, 1, 0x7f, 0x80, 0xff, 0xfe, random(256)][random(7)] ?? 0;
    }
    const { error } = await turnsWhile(read(file));
    expect(error).toMatch(/^$|^AppError: /);
  }
}, 120_000);
