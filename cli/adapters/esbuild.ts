import { dirname, resolve, sep } from 'node:path';
import { build, transform } from 'esbuild';

export interface Bundle {
  readonly code: Uint8Array;
  /** Paths of the source files, sorted, so that their order does not depend on the current directory. */
  readonly files: readonly string[];
}

interface BundleOptions {
  /** Packages to leave out of the bundle. */
  readonly external?: readonly string[];
  /** Whether the code can call `import()`. Without it, Node's own modules are loaded with `require`. */
  readonly canImport?: boolean;
  /** The oldest Node version that runs the code. Default: the pinned version. */
  readonly target?: string;
  /** Maximum length of lines. Default: none. */
  readonly lineLimit?: number;
}

/** Bundles an entry file into one CommonJS file, the only format that a single executable can pre-compile. */
export async function bundle(
  entry: string,
  define: Record<string, string>,
  { external = [], canImport = true, target = 'node26', lineLimit = 0 }: BundleOptions = {},
): Promise<Bundle> {
  // Without this option, paths are relative to the directory in which esbuild was first imported.
  const absWorkingDir = dirname(resolve(entry));
  const result = await build({
    absWorkingDir,
    entryPoints: [resolve(entry)],
    bundle: true,
    write: false,
    platform: 'node',
    target,
    format: 'cjs',
    minify: true,
    lineLimit,
    // The license notices are a separate asset of the executable (cli/packaging/notices).
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
    external: [...external],
    supported: { 'dynamic-import': canImport },
    define: {
      // Only evaluated when running from source; in a bundle, workers and addons are assets.
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
      .map((path) => resolve(absWorkingDir, path))
      .sort(),
  };
}

/** Bundles a browser module with all its imports, which are browser modules too. */
export async function bundleScript(entry: string): Promise<string> {
  const result = await build({
    absWorkingDir: dirname(resolve(entry)),
    entryPoints: [resolve(entry)],
    bundle: true,
    write: false,
    format: 'esm',
    minify: true,
    legalComments: 'none',
    metafile: true,
    logLevel: 'silent',
  });
  const foreign = Object.keys(result.metafile.inputs)
    .map((path) => resolve(dirname(entry), path))
    .find((path) => !path.split(sep).includes('browser'));
  if (foreign !== undefined)
    throw new Error(`${entry} imports more than types of ${foreign}, which is not for browsers.`);
  const [file] = result.outputFiles;
  if (!file) throw new Error(`esbuild wrote nothing for ${entry}`);
  return file.text;
}

/** Minifies a style sheet. */
export async function minifyStyles(source: string): Promise<string> {
  const { code } = await transform(source, {
    loader: 'css',
    minify: true,
    legalComments: 'none',
    logLevel: 'silent',
  });
  return code;
}

/** esbuild also reports placeholders such as `(disabled):path`. */
const isFile = (path: string): boolean => !/^[(<]/.test(path);
