import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openLineFile } from '../../../runtime/platform/line-file.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';

const folder = useTempFolder();

test('lines are added at the end, all of them, in order', async () => {
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

test('a path that cannot be written is told at once', async () => {
  await expect(openLineFile(folder(), () => {})).rejects.toThrow(/it is a folder/);
  await expect(openLineFile(join(folder(), 'none', 'lines'), () => {})).rejects.toThrow(
    /its folder does not exist/,
  );
});

test.skipIf(process.platform !== 'linux')(
  'a full disk is told once, and the lines that it costs are counted',
  async () => {
    const told: string[] = [];
    const file = await openLineFile('/dev/full', (message) => told.push(message));
    file.write('one');
    await new Promise((resolve) => setTimeout(resolve, 20));
    file.write('two');
    file.write('three');
    await file.close();
    expect(told).toEqual([
      expect.stringMatching(/^\/dev\/full cannot be written, and lines are lost: .*ENOSPC/),
    ]);
    expect(file.lost()).toBe(3);
  },
);
