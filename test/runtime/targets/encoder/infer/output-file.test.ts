import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { outputFile } from '#encoder/infer/check-output.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();

test('a file path is used unchanged', () => {
  const path = join(folder(), 'result');
  expect(outputFile(path, '/x/sentiment.encoder', false)).toBe(path);
  expect(existsSync(path)).toBe(false);
});

test.each([
  ['/x/sentiment.encoder', false, 'sentiment.json'],
  ['C/sentiment.encoder.exe', true, 'sentiment.jsonl'],
])('in a folder, the file is named after %s', (model, isLines, name) => {
  expect(outputFile(folder(), model, isLines)).toBe(join(folder(), name));
});

test('a trailing slash means a folder, which is created', () => {
  expect(outputFile(`${join(folder(), 'new')}/`, 'a.encoder', false)).toBe(join(folder(), 'new/a.json'));
  expect(existsSync(join(folder(), 'new'))).toBe(true);
});
