import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';
import { NAMED_MODELS } from './list.ts';

test('each name is listed once, with its organization', () => {
  const names = NAMED_MODELS.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  expect(names.filter((name) => !/^[\w-]+\/[\w.-]+$/.test(name))).toEqual([]);
});

test('the page has a row or an entry for each name', () => {
  const page = readFileSync(join(ROOT, 'docs/models-by-name.md'), 'utf8');
  const listed = page
    .split('\n')
    .flatMap((line) => /^(?:\| |- )([\w-]+\/[\w.-]+)(?: \||$)/.exec(line)?.[1] ?? []);
  expect(listed.toSorted()).toEqual(NAMED_MODELS.map(({ name }) => name).toSorted());
});
