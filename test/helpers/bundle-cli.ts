import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { ROOT } from './paths.ts';

/**
 * Writes `encoderfile` as one script to the path in the argument. It finds the same files as the sources, and starts in a third of the
 * time, because Node resolves no modules.
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
  // It includes a separate program, which it expects next to its code.
  external: ['esbuild'],
  define: { 'import.meta.url': 'SOURCE_URL' },
  plugins: [
    {
      name: 'source-urls',
      setup: (bundling) =>
        bundling.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
          const source = await readFile(path, 'utf8');
          // Processes that it starts also run this script.
          const own = source.replace("'../bin.ts'", quotedUrl(outfile));
          return { loader: 'ts', contents: `const SOURCE_URL = ${quotedUrl(path)};\n${own}` };
        }),
    },
  ],
});

function quotedUrl(path: string): string {
  return JSON.stringify(pathToFileURL(path));
}
