import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join, posix } from 'node:path';
import { execa } from 'execa';
import { expect, test } from 'vitest';
import { ROOT } from './helpers/paths.ts';

interface Cruise {
  readonly modules: readonly { readonly source: string }[];
  readonly summary: {
    readonly violations: readonly {
      readonly from: string;
      readonly to: string;
      readonly rule: { name: string };
    }[];
  };
}

/** One run serves all tests, because it reads every file. */
let cruised: Promise<Cruise> | undefined;
const cruise = (): Promise<Cruise> => (cruised ??= cruiseAll());

async function cruiseAll(): Promise<Cruise> {
  const config = join(ROOT, '.ci/dependency-cruiser.cjs');
  const folders = ['cli', 'runtime', 'test'];
  const { stdout } = await execa('depcruise', ['--config', config, '--output-type', 'json', ...folders], {
    cwd: ROOT,
    localDir: ROOT,
    preferLocal: true,
    reject: false,
    maxBuffer: 100_000_000,
  });
  return JSON.parse(stdout);
}

test('imports follow the rules of ARCHITECTURE.md', async () => {
  const { modules, summary } = await cruise();
  const own = modules.filter(({ source }) => /^(cli|runtime)\/.*\.ts$/.test(source));
  // Without its TypeScript parser the tool sees nothing and finds nothing wrong.
  expect(own.length).toBeGreaterThan(80);
  expect(summary.violations.map(({ from, to, rule }) => `${rule.name}: ${from} -> ${to}`)).toEqual([]);
});

test('ARCHITECTURE.md names every second-level folder', async () => {
  const { modules } = await cruise();
  const folders = new Set(
    modules.flatMap(({ source }) => /^(?:cli|runtime)\/[^/]+(?=\/)/.exec(source) ?? []),
  );
  const text = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8');
  expect([...folders].filter((folder) => !text.includes(`\`${folder}/`))).toEqual([]);
});

test('every file of a target is in one layer', async () => {
  const { modules } = await cruise();
  const layers = layersOfTargets();
  const own = modules.filter(({ source }) => /^runtime\/targets\/.*(?<!\/browser\/.*)\.ts$/.test(source));
  const found = own.map(({ source }) => [source, layers.filter((layer) => layer.test(source)).length]);
  expect(found.filter(([, count]) => count !== 1)).toEqual([]);
});

/** The layers, as the rules of dependency-cruiser have them. */
function layersOfTargets(): readonly RegExp[] {
  const { forbidden }: { forbidden: { name: string; from: { path: string } }[] } = createRequire(
    import.meta.url,
  )('../.ci/dependency-cruiser.cjs');
  return forbidden
    .filter(({ name }) => name.endsWith('-layers-point-down'))
    .map(({ from }) => new RegExp(from.path));
}

test('JSON is read by what reads every name as it is written', async () => {
  // Of names alone, of where a text goes wrong, and of files of our own that hold no names of others.
  const allowed = new Set([
    'core/json/json-text.ts',
    'core/json/commented-json.ts',
    'targets/gateway/shared/json-members.ts',
    'core/json/explain-json.ts',
    'core/json/repeated-name.ts',
    'contract/container/read.ts',
  ]);
  const { modules } = await cruise();
  const native = modules
    .map(({ source }) => source)
    .filter((source) => /^(?:cli|runtime)\/(?!gen\/).*(?<!\/browser\/.*)\.ts$/.test(source))
    .filter((source) => /\bJSON\.parse\b/.test(withoutComments(readFileSync(join(ROOT, source), 'utf8'))));
  expect(native.filter((source) => !allowed.has(source.replace('runtime/', '')))).toEqual([]);
});

const withoutComments = (code: string): string => code.replaceAll(/^ *(?:\/\/|\/?\*).*$/gm, '');

test('an import of another room has its alias, and none climbs four folders', async () => {
  const { modules } = await cruise();
  // Folders with a package.json of their own do not have the aliases, nor do files that browsers load.
  const withAliases = /^(?:cli|runtime|test)\/(?!bench\/|clients\/|install\/|.*\/browser\/).*\.ts$/;
  const found = modules
    .map(({ source }) => source)
    .filter((source) => withAliases.test(source))
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
