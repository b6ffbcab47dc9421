import { resolve } from 'node:path';
import { build, transform } from 'esbuild';

export interface Bundle {
  readonly code: Uint8Array;
  /** Paths of the files that the code comes from, sorted: their order must not depend on the current folder. */
  readonly files: readonly string[];
}

/** Bundles one entry file into one CommonJS file: the only form that a single executable can pre-compile. */
export async function bundle(entry: string, define: Record<string, string>): Promise<Bundle> {
  const result = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    platform: 'node',
    target: 'node26',
    format: 'cjs',
    minify: true,
    // The notices are an asset of the executable instead (cli/build/notices).
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    define: {
      // Only evaluated where code runs from source; a bundle has its workers and addons as assets.
      'import.meta.url': '"file:///"',
      ...define,
    },
  });
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild wrote nothing for ${entry}`);
  return {
    code: file.contents,
    files: Object.keys(result.metafile.inputs)
      .filter(isFile)
      .map((path) => resolve(path))
      .sort(),
  };
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

/** esbuild also names what it puts in place of files, as `(disabled):path`. */
const isFile = (path: string): boolean => !/^[(<]/.test(path);
