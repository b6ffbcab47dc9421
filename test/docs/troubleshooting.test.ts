import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';
import { sentencesOf } from './sentences.ts';

const PAGE = readFileSync(join(ROOT, 'docs/troubleshooting.md'), 'utf8');

/** The messages in the first column of each table; a cell can contain several. Messages of the operating system are marked. */
const messages = [...PAGE.matchAll(/^\| (`.*?`) ?(\(from the system\)|with `[^`]*`)? \|/gm)]
  .filter(([, , source = '']) => !source.includes('system'))
  .flatMap(([, cell = '']) => cell.split('`, `').map((message) => message.replaceAll('`', '')));

/** The fixed parts of a message, without the punctuation around them. */
const fixedParts = (message: string): string[] =>
  message
    .split('…')
    .map((part) => part.replaceAll(/^[\s:;.,()]+|[\s:;.,()]+$/g, ''))
    .filter((part) => /\S \S/.test(part) || part === message.trim());

test('every documented message exists in the code', () => {
  expect(messages.length).toBeGreaterThan(60);
  const files = globSync(['cli/**/*.ts', 'runtime/**/*.ts'], { cwd: ROOT, exclude: ['runtime/gen/**'] });
  const sources = files
    .flatMap((file) => sentencesOf(readFileSync(join(ROOT, file), 'utf8')))
    .join('\n')
    .replaceAll('`', '');
  const missing = messages.flatMap((message) => {
    const parts = fixedParts(message);
    if (parts.length === 0) return [`${message}: it has no part that can be compared`];
    return parts.filter((part) => !sources.includes(part)).map((part) => `${message}: ${part}`);
  });
  expect(missing).toEqual([]);
});
