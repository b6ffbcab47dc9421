import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { verifies } from './verifies.ts';

const folder = useTempFolder();
const write = (name: string, content: string | Uint8Array): string => {
  const path = join(folder(), name);
  writeFileSync(path, content);
  return path;
};

verifies('infer:file:blank', async (arm) => {
  const file = write('blank.txt', 'I love this\n\n \nbad\n\n');
  const { exitCode, stdout, stderr } = await arm.run('sentiment', ['infer', '--input', file]);
  expect(exitCode).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(stderr).toContain('Skipped 3 blank lines.');
});

verifies('infer:file:utf8', async (arm) => {
  for (const name of ['latin.txt', 'latin.csv', 'latin.jsonl']) {
    const file = write(name, Buffer.from('text\n"caf\u00E9"', 'latin1'));
    const { exitCode, stderr } = await arm.run('sentiment', ['infer', '--input', file]);
    expect([exitCode, stderr]).toEqual([1, expect.stringContaining(`${name} is not valid UTF-8 on line 2.`)]);
  }
});
