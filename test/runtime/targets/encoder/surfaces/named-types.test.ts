import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { ROOT } from '#test/helpers/paths.ts';

/** The index files, to which a new type is added. */
const INDEXES = new Set([
  'runtime/contract/config-schema.ts',
  'runtime/contract/manifest.ts',
  'runtime/contract/model-types.ts',
  'cli/packaging/model/build-types.ts',
  'runtime/targets/encoder/tasks/index.ts',
  'runtime/targets/encoder/served/index.ts',
  'runtime/targets/encoder/http/page/browser/tasks/index.ts',
  // The methods of the Node package by type, and the types of their options and results, which are generated.
  'runtime/targets/encoder/library/types.ts',
  'runtime/targets/encoder/library/request-types.ts',
  // The index of the gateway's tasks, some of which have the names of model types.
  'runtime/targets/gateway/evaluation/work/tasks/index.ts',
]);

/** Files that name three or more types although they are not an index. This list must only become shorter. */
const EXCEPTIONS: readonly string[] = [
  'runtime/targets/encoder/tasks/sentence-embedding.ts',
  'runtime/targets/gateway/api/completions/docs.ts',
  'runtime/targets/gateway/evaluation/work/backends/encoder-model.ts',
];

test('only index files, and the listed exceptions, name three or more model types', () => {
  const files = globSync('{cli,runtime}/**/*.{ts,js}', { cwd: ROOT }).filter(
    (path) => !path.startsWith('runtime/gen/'),
  );
  expect(files.length).toBeGreaterThan(1000);
  const found = files.filter((path) => !INDEXES.has(path) && namedIn(path).length >= 3);
  expect(found.toSorted()).toEqual(EXCEPTIONS.toSorted());
});

/** The types that a file names in code, in configuration or TypeScript spelling. */
function namedIn(path: string): readonly string[] {
  const code = readFileSync(join(ROOT, path), 'utf8').replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');
  return MODEL_TYPE_NAMES.filter((name) => wordsFor(name).test(code));
}

/** A common word is a type only between quotes. */
function wordsFor(name: string): RegExp {
  if (!name.includes('_'))
    return new RegExp(
      `'${name}'|\\b(?:${name}(?:Build|Task)|served${name.replace(/^./, (letter) => letter.toUpperCase())})\\b`,
    );
  const camel = name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const pascal = camel.replace(/^./, (letter) => letter.toUpperCase());
  return new RegExp(`\\b(?:${name}|(?:${camel}|served${pascal})(?:Build|Task)?)\\b`);
}
