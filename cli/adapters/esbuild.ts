import { build, transform } from 'esbuild';

/** Bundles one entry file into one CommonJS file: the only form that a single executable can pre-compile. */
export async function bundle(entry: string, define: Record<string, string>): Promise<Uint8Array> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
    define: {
      // Only evaluated where code runs from source; a bundle has its workers and addons as assets.
      'import.meta.url': '"file:///"',
      ...define,
    },
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild wrote nothing for ${entry}`);
  return file.contents;
}

/** A file for browsers without what only people read. It stays a file of its own: imports are left as they are. */
export async function minify(source: string, language: 'js' | 'css'): Promise<string> {
  const { code } = await transform(source, {
    loader: language,
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return code;
}
