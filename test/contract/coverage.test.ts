import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { anchorsIn } from '../../site/markdown.ts';
import { ROOT } from '../helpers/paths.ts';
import { BEHAVIORS } from './behaviors.ts';

const cited = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .flatMap((file) => [
    ...readFileSync(join(import.meta.dirname, file), 'utf8').matchAll(
      /verifies(?:Once|OverWires|Served|Managed|Command|Gateway|GatewayCommand)?\(\s*'([^']+)'/g,
    ),
  ])
  .map(([, id]) => id);

test('the tests are found', () => {
  expect(cited.length).toBeGreaterThan(15);
});

test('every behavior has a test', () => {
  expect(Object.keys(BEHAVIORS).filter((id) => !cited.includes(id))).toEqual([]);
});

test('every test names a behavior', () => {
  expect(cited.filter((id) => !Object.keys(BEHAVIORS).includes(id ?? ''))).toEqual([]);
});

test('every behavior refers to an existing documentation page and section', () => {
  const wrong = Object.entries(BEHAVIORS).filter(([, { source }]) => {
    const [page = '', anchor] = source.split('#');
    if (!existsSync(join(ROOT, page))) return true;
    return anchor !== undefined && !anchorsIn(readFileSync(join(ROOT, page), 'utf8')).has(anchor);
  });
  expect(wrong.map(([id, { source }]) => `${id}: ${source}`)).toEqual([]);
});
