import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';

const FOLDER = join(ROOT, 'docs/decisions');
const STATUS =
  /^Status: (accepted|proposed|rejected|superseded by \d{4}), \d{4}-\d{2}-\d{2}(; superseded by \d{4} for [^\n]+|; measured again in \d{4})?\.$/;
// The index is generated: `npm run check` compares it.
const files = readdirSync(FOLDER)
  .filter((name) => name !== 'README.md')
  .toSorted();
const numbers = files.map((name) => name.slice(0, 4));

test('decision numbers are unique and match the file names', () => {
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((name) => !/^\d{4}-[a-z0-9-]+\.md$/.test(name))).toEqual([]);
  expect(numbers).toEqual([...new Set(numbers)]);
});

test.each(files)('%s has a title with its number, a status with a date, and a decision', (name) => {
  const text = readFileSync(join(FOLDER, name), 'utf8');
  const [title = '', blank, status = ''] = text.split('\n');
  expect(title).toMatch(new RegExp(`^# ${name.slice(0, 4)}: \\S`));
  expect(blank).toBe('');
  expect(status).toMatch(STATUS);
  expect(text).toMatch(/^(\*\*|## )?Decision/m);
  for (const [, other = ''] of status.matchAll(/superseded by (\d{4})/g)) expect(numbers).toContain(other);
});
