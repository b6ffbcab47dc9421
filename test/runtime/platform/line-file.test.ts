import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openLineFile } from '#platform/line-file.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

test('lines are appended completely and in order', async () => {
  const path = join(folder(), 'lines');
  for (const round of [0, 1]) {
    const file = await openLineFile(path, () => {});
    for (let line = 0; line < 1000; line += 1) file.write(`${round * 1000 + line} é`);
    await file.close();
    expect(file.lost()).toBe(0);
  }
  const expected = Array.from({ length: 2000 }, (_, line) => `${line} é\n`).join('');
  expect(readFileSync(path, 'utf8')).toBe(expected);
});

test('an unwritable path is reported immediately', async () => {
  await expect(openLineFile(folder(), () => {})).rejects.toThrow(/it is a folder/);
  await expect(openLineFile(join(folder(), 'none', 'lines'), () => {})).rejects.toThrow(
    /its folder does not exist/,
  );
});

test.skipIf(process.platform !== 'linux')(
  'a full disk is reported once, and lost lines are counted',
  async () => {
    const told: string[] = [];
    const file = await openLineFile('/dev/full', (message) => told.push(message));
    file.write('one');
    await new Promise((resolve) => setTimeout(resolve, 20));
    file.write('two');
    file.write('three');
    await file.close();
    expect(told).toEqual([expect.stringMatching(/^cannot write \/dev\/full, log lines are lost: .*ENOSPC/)]);
    expect(file.lost()).toBe(3);
  },
);

test.skipIf(process.platform !== 'linux')(
  'lines can be kept until the disk has space again, and are then written once and in order',
  async () => {
    const told: string[] = [];
    const path = join(folder(), 'lines');
    symlinkSync('/dev/full', path);
    const file = await openLineFile(path, (message) => told.push(message), { keepsLines: true });
    expect(file.problem()).toBeUndefined();
    file.write('one');
    await file.retry();
    file.write('two');
    await file.retry();
    expect(file.problem()).toContain('ENOSPC');
    expect(told).toEqual([expect.stringMatching(/, log lines are kept in memory: .*ENOSPC/)]);
    rmSync(path);
    writeFileSync(path, '');
    file.reopen();
    await file.retry();
    expect(file.problem()).toBeUndefined();
    file.write('three');
    await file.close();
    expect(readFileSync(path, 'utf8')).toBe('one\ntwo\nthree\n');
    expect(file.lost()).toBe(0);
  },
);

test.skipIf(process.platform !== 'linux')(
  'kept lines have a maximum, and those that cannot be written at the end are counted',
  async () => {
    const file = await openLineFile('/dev/full', () => {}, { keepsLines: true });
    const line = 'x'.repeat(1_048_576);
    for (let count = 0; count < 6; count += 1) file.write(line);
    // Before the first attempt, the buffer is already more than half full.
    expect(file.problem()).toBe('the disk is too slow');
    for (let count = 0; count < 6; count += 1) file.write(line);
    expect(file.lost()).toBeGreaterThan(0);
    await file.close();
    expect(file.lost()).toBe(12);
  },
);

describe('rotation', () => {
  const noTrouble = (text: string): never => expect.fail(text);
  const files = () => Object.fromEntries(readdirSync(folder()).map((name) => [name, read(name)]));
  const read = (name: string) => readFileSync(join(folder(), name), 'utf8');

  test('a file is renamed before it exceeds its limit, and the oldest files are deleted', async () => {
    const path = join(folder(), 'log');
    writeFileSync(path, 'old\n');
    const file = await openLineFile(path, noTrouble, { rotation: { maxBytes: 10, keep: 2 } });
    for (const line of ['aaaa', 'bbbb', 'cccc', 'dddd', 'longer than the limit', 'é1', 'é2'])
      file.write(line);
    await file.close();
    expect(files()).toEqual({
      'log.2': 'dddd\n',
      'log.1': 'longer than the limit\n',
      log: 'é1\né2\n',
    });
    const again = await openLineFile(path, noTrouble, { rotation: { maxBytes: 10, keep: 2 } });
    again.write('ffff');
    await again.close();
    expect(files()).toEqual({ 'log.2': 'longer than the limit\n', 'log.1': 'é1\né2\n', log: 'ffff\n' });
  });

  test('if no old files are kept, the file is emptied', async () => {
    const file = await openLineFile(join(folder(), 'log'), noTrouble, { rotation: { maxBytes: 6, keep: 0 } });
    for (const line of ['aaaaa', 'bbbbb']) file.write(line);
    await file.close();
    expect(files()).toEqual({ log: 'bbbbb\n' });
  });

  test('a file that another program has moved is not moved again', async () => {
    const path = join(folder(), 'log');
    const file = await openLineFile(path, noTrouble, { rotation: { maxBytes: 6, keep: 2 } });
    file.write('aaaaa');
    await expect.poll(() => read('log')).toBe('aaaaa\n');
    renameSync(path, join(folder(), 'moved'));
    writeFileSync(path, 'new\n');
    file.write('b');
    await file.close();
    expect(files()).toEqual({ moved: 'aaaaa\n', log: 'new\nb\n' });
  });

  test('a file that cannot be renamed keeps growing, and no line is lost', async () => {
    const path = join(folder(), 'log');
    mkdirSync(join(folder(), 'log.1', 'in the way'), { recursive: true });
    const troubles: string[] = [];
    const file = await openLineFile(path, (text) => troubles.push(text), {
      rotation: { maxBytes: 6, keep: 1 },
    });
    for (const line of ['aaaaa', 'bbbbb', 'ccccc']) file.write(line);
    await file.close();
    expect(read('log')).toBe('aaaaa\nbbbbb\nccccc\n');
    expect(troubles).toEqual([expect.stringContaining('log, which exceeds its size limit: ')]);
  });

  test.skipIf(process.platform === 'win32')('a device is not renamed', async () => {
    const file = await openLineFile('/dev/null', noTrouble, { rotation: { maxBytes: 2, keep: 1 } });
    for (const line of ['aaaaa', 'bbbbb']) file.write(line);
    await file.close();
    expect(statSync('/dev/null').isFile()).toBe(false);
  });
});
