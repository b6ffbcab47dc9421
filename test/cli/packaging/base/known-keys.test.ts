import { mkdirSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { knownKey } from '#cli/packaging/base/known-keys.ts';
import { useTempFolder } from '../../../helpers/temp-folder.ts';

const folder = useTempFolder();

/** A repository with one source, and a function that requests its key and counts the computations. */
function repository(): { source: string; ask: (triple?: string) => Promise<string>; computed: () => number } {
  const root = join(folder(), 'repository');
  mkdirSync(join(root, 'runtime/core'), { recursive: true });
  const source = join(root, 'runtime/core/a.ts');
  writeFileSync(source, 'a');
  let count = 0;
  const compute = (): Promise<string> => Promise.resolve(`key ${++count}`);
  return {
    source,
    ask: (triple = 'x') => knownKey(join(folder(), 'cache'), triple, compute, root),
    computed: () => count,
  };
}

test('the key of unchanged sources is computed once per platform', async () => {
  const { ask, computed } = repository();
  expect([await ask(), await ask(), await ask('y'), await ask('y')]).toEqual([
    'key 1',
    'key 1',
    'key 2',
    'key 2',
  ]);
  expect(computed()).toBe(2);
});

test.each<[string, (source: string) => void]>([
  ['another size', (source) => writeFileSync(source, 'other')],
  ['the same size at another time', (source) => utimesSync(source, 1, 1)],
  ['a new file', (source) => writeFileSync(join(source, '../b.ts'), '')],
  ['a removed file', (source) => rmSync(source)],
])('a changed source invalidates the key: %s', async (_name, change) => {
  const { source, ask } = repository();
  expect(await ask()).toBe('key 1');
  change(source);
  expect([await ask(), await ask()]).toEqual(['key 2', 'key 2']);
});

test('a damaged cache entry is replaced, and an unwritable cache only slows down the build', async () => {
  const { ask } = repository();
  await ask();
  const keys = join(folder(), 'cache/keys');
  for (const name of readdirSync(keys)) writeFileSync(join(keys, name), '{"sta');
  expect([await ask(), await ask()]).toEqual(['key 2', 'key 2']);
  rmSync(keys, { recursive: true });
  writeFileSync(keys, 'a file instead of a folder');
  expect([await ask(), await ask()]).toEqual(['key 3', 'key 4']);
});
