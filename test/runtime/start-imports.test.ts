import { build, type Metafile } from 'esbuild';
import { expect, test } from 'vitest';
import { ROOT } from '../helpers/paths.ts';

// Help, command line errors and most commands do not need the server packages: loading their code took
// half of the CPU time of `gateway --version`. Each command imports the code that it runs.

test.each([
  // A model's manifest is a protocol buffer that every command reads.
  ['encoder', ['@bufbuild/protobuf', 'fastest-levenshtein']],
  ['gateway', ['fastest-levenshtein']],
  ['manager', ['fastest-levenshtein']],
])('%s starts without loading server packages', async (program, packages) => {
  const main = `runtime/targets/${program}/main.ts`;
  const { metafile } = await build({
    absWorkingDir: ROOT,
    entryPoints: [main],
    bundle: true,
    write: false,
    metafile: true,
    platform: 'node',
    format: 'cjs',
    logLevel: 'error',
  });
  const found = [...importedAtStart(metafile, main)].map(
    (path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1],
  );
  expect([...new Set(found.filter((name) => name !== undefined))].toSorted()).toEqual(packages);
});

/** The files that are imported before the program runs. */
function importedAtStart({ inputs }: Metafile, main: string): ReadonlySet<string> {
  const found = new Set([main]);
  for (const path of found) {
    for (const { path: imported, kind, external = false } of inputs[path]?.imports ?? [])
      if (!external && kind !== 'dynamic-import') found.add(imported);
  }
  return found;
}
