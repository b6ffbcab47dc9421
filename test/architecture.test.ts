import { globSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from './helpers/paths.ts';

/** All source files, by the paths that imports use. `npm run check` checks the imports themselves (`.ci/architecture.mjs`). */
const SOURCES = globSync('{cli,runtime,test}/**/*.{ts,mts,js,mjs,cjs}', {
  cwd: ROOT,
  exclude: ['**/node_modules', '**/dist'],
}).map((path) => path.replaceAll('\\', '/'));

test('ARCHITECTURE.md names every second-level folder', async () => {
  const folders = new Set(SOURCES.flatMap((source) => /^(?:cli|runtime)\/[^/]+(?=\/)/.exec(source) ?? []));
  expect(folders.size).toBeGreaterThan(8);
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  expect([...folders].filter((folder) => !text.includes(`\`${folder}/`))).toEqual([]);
});

test('every source file of a target belongs to exactly one layer', async () => {
  const layers = layersOfTargets();
  const own = SOURCES.filter((source) => /^runtime\/targets\/.*(?<!\/browser\/.*)\.ts$/.test(source));
  const found = own.map((source) => [source, layers.filter((layer) => layer.test(source)).length]);
  expect(own.length).toBeGreaterThan(1000);
  expect(found.filter(([, count]) => count !== 1)).toEqual([]);
});

/** The layers, as defined in the rules of dependency-cruiser. */
function layersOfTargets(): readonly RegExp[] {
  const { forbidden }: { forbidden: { name: string; from: { path: string } }[] } = createRequire(
    import.meta.url,
  )('../.ci/dependency-cruiser.cjs');
  return forbidden
    .filter(({ name }) => name.endsWith('-layers-point-down'))
    .map(({ from }) => new RegExp(from.path));
}

test('JSON is parsed only in ways that do not confuse escaped names', async () => {
  // These files parse JSON only for names or to locate errors, or read the project's own files.
  const allowed = new Set([
    'core/json/json-text.ts',
    'core/json/commented-json.ts',
    'targets/gateway/shared/json-members.ts',
    'core/json/explain-json.ts',
    'core/json/repeated-name.ts',
    'contract/container/read.ts',
  ]);
  const native = SOURCES.filter((source) =>
    /^(?:cli|runtime)\/(?!gen\/).*(?<!\/browser\/.*)\.ts$/.test(source),
  ).filter((source) => /\bJSON\.parse\b/.test(withoutComments(readFileSync(join(ROOT, source), 'utf8'))));
  expect(native.filter((source) => !allowed.has(source.replace('runtime/', '')))).toEqual([]);
});

const withoutComments = (code: string): string => code.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');

test('imports from other folders use their alias, and no import climbs four levels', async () => {
  // Folders with a separate package.json do not have the aliases.
  const withAliases = /^(?:cli|runtime|test)\/(?!bench\/|clients\/|install\/|openapi\/).*\.ts$/;
  const found = SOURCES.filter((source) => withAliases.test(source))
    .flatMap((source) => relativeImports(source).map((name) => ({ source, name })))
    .filter(({ source, name }) => {
      const target = posix.join(posix.dirname(source), name);
      return (
        name.startsWith('../../../../') || (withAliases.test(target) && roomOf(target) !== roomOf(source))
      );
    });
  expect(found).toEqual([]);
});

const relativeImports = (source: string): readonly string[] =>
  [...readFileSync(join(ROOT, source), 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)].map(
    ([, name = '']) => name,
  );

const roomOf = (path: string): string | undefined =>
  /^(?:cli|test|runtime\/(?:targets\/)?[^/]+)/.exec(path)?.[0];
