import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { ROOT } from '#test/helpers/paths.ts';

const ENCODER = 'runtime/targets/encoder';

/**
 * Modules that only servers need, except their flags, which the help lists: loading them would slow down each cold start and each inference
 * thread.
 */
const SERVERS_ONLY =
  /^(runtime\/targets\/encoder\/(served|schemas|predict|http|grpc|mcp|bench)\/|runtime\/targets\/encoder\/servers\/(?!(?:image-|device-)?options\.ts$)|runtime\/serve\/(http|grpc|mcp)\/|(typebox|ajv|hono|@hono\/.*|@connectrpc\/.*)$)/;

test('infer loads no server modules', async () => {
  const { inputs } = await importsOf('main.ts');
  // The entry of each program, and all modules that the command can load later.
  const loaded = new Set([
    ...reachable(inputs, [`${ENCODER}/main.ts`], ['import-statement']),
    ...reachable(inputs, [`${ENCODER}/commands/infer.ts`], ['import-statement', 'dynamic-import']),
  ]);
  expect(loaded).toContain(`${ENCODER}/tasks/index.ts`);
  expect(loaded).toContain(`${ENCODER}/infer/file.ts`);
  expect([...loaded].filter((path) => SERVERS_ONLY.test(path))).toEqual([]);
});

test('an inference thread loads no server modules', async () => {
  const { inputs } = await importsOf('engine/worker.ts');
  const loaded = reachable(inputs, [`${ENCODER}/engine/worker.ts`], ['import-statement', 'dynamic-import']);
  expect(loaded).toContain(`${ENCODER}/tasks/index.ts`);
  expect([...loaded].filter((path) => SERVERS_ONLY.test(path))).toEqual([]);
});

test('executables of models do not contain undici, which has 0.8 MB', async () => {
  const { inputs } = await importsOf('main.ts');
  expect(Object.keys(inputs)).toContain('runtime/platform/fetch-file.ts');
  const importers = Object.entries(inputs).filter(([, { imports }]) =>
    imports.some(({ path }) => path === 'undici'),
  );
  expect(importers.map(([path]) => path)).toEqual([]);
});

/** The imports of all modules without type imports, as in bundles. */
async function importsOf(entry: string): Promise<Metafile> {
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [join(ROOT, ENCODER, entry)],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    logLevel: 'silent',
  });
  return metafile;
}

type Kind = Metafile['inputs'][string]['imports'][number]['kind'];

function reachable(
  inputs: Metafile['inputs'],
  starts: readonly string[],
  kinds: readonly Kind[],
): Set<string> {
  const found = new Set(starts);
  for (const path of found) {
    for (const { path: imported, kind } of inputs[path]?.imports ?? []) {
      if (kinds.includes(kind)) found.add(imported);
    }
  }
  return found;
}
