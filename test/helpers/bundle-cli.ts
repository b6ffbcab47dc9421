import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './paths.ts';

/**
 * Writes `encoderfile` as one script to the path given as argument. It finds its files as the sources do, and starts in a third
 * of their time, because Node resolves no modules.
 */
const [, , outfile = ''] = process.argv;

await build({
  entryPoints: [join(ROOT, 'cli/bin.ts')],
  outfile,
  bundle: true,
  platform: 'node',
  format: 'cjs',
  target: 'node26',
  legalComments: 'none',
  logLevel: 'silent',
  // It has a program of its own, which it looks for next to its code.
  external: ['esbuild'],
  define: { 'import.meta.url': 'SOURCE_URL' },
  plugins: [
    {
      name: 'source-urls',
      setup: (bundling) =>
        bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
          const source = await readFile(path, 'utf8');
          // Processes that it starts run this script, too.
          const own = source.replace("'../bin.ts'", quotedUrl(outfile));
          return { loader: 'ts', contents: `const SOURCE_URL = ${quotedUrl(path)};\n${own}` };
        }),
    },
  ],
});

function quotedUrl(path: string): string {
  return JSON.stringify(pathToFileURL(path));
}
