import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { cachedRepositories, didYouMeanCached } from '#cli/packaging/hub/similar-models.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';

const folder = useTempFolder();
const add = (...names: string[]): void => {
  for (const name of names) mkdirSync(join(folder(), name));
};

test('lists only names of models', () => {
  add(
    'models--acme--a-b.c',
    'models--gpt2',
    'datasets--acme--x',
    '.locks',
    'models--',
    'models--a--b--c',
    'models--..--x',
    'models--$(id)--x',
    'models--a--b\u001B[31m',
  );
  expect(cachedRepositories(folder())).toEqual(['acme/a-b.c', 'gpt2']);
  expect(cachedRepositories(join(folder(), 'missing'))).toEqual([]);
});

test.each([
  ['sentence-transformers/all-MiniLM-L6-v3', 'sentence-transformers/all-MiniLM-L6-v2'],
  ['sentence-transformer/all-minilm-l6-v2', 'sentence-transformers/all-MiniLM-L6-v2'],
  ['all-MiniLM-L6-v2', 'sentence-transformers/all-MiniLM-L6-v2'],
  ['BAAI/bge-small', 'BAAI/bge-small-en-v1.5'],
  ['BAAI/bge-small-en-v1.5', undefined],
  ['other/unknown', undefined],
])('%s is similar to %s', (name, expected) => {
  add('models--sentence-transformers--all-MiniLM-L6-v2', 'models--BAAI--bge-small-en-v1.5');
  expect(didYouMeanCached(name, folder())).toBe(
    expected === undefined ? '' : `; did you mean \`hf:${expected}\`?`,
  );
});
