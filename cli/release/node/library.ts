import { readFile } from 'node:fs/promises';
import { ASSET_NATIVE_LIST } from '#contract/native.ts';
import { LIBRARY_NODE, PLATFORMS, shortName } from '#contract/platforms.ts';
import { bundle } from '../../adapters/esbuild.ts';
import { ownVersion, readOwnText, repositoryFile } from '../../adapters/own-files.ts';
import { decoderFiles, readNativeLibraries } from '../../packaging/base/native-libraries.ts';
import { libraryTypes } from './types.ts';

/** The entry files of the library and of its inference thread, by their names in the package. */
const ENTRIES = {
  'index.cjs': 'runtime/targets/encoder/library/index.ts',
  'encoder.cjs': 'runtime/targets/encoder/engine/worker.ts',
};

/** The members of package.json for programs that import the library. */
export const LIBRARY_MANIFEST = {
  // Makes yarn unpack the package: threads cannot be started from zip archives.
  preferUnplugged: true,
  main: 'lib/index.cjs',
  types: 'lib/index.d.cts',
  exports: {
    '.': {
      import: { types: './lib/index.d.mts', default: './lib/index.mjs' },
      require: { types: './lib/index.d.cts', default: './lib/index.cjs' },
    },
    './package.json': './package.json',
  },
};

/** Node prints the line of code that throws an uncaught error. */
const MAX_LINE = 160;

/** Content by path. */
export type Library = ReadonlyMap<string, string | Uint8Array>;

/**
 * The part of the npm package that programs import: the engine of the executables as a module, which loads
 * the native libraries of the platform's executable. One copy of the code serves `import` and `require`.
 */
export async function bundleLibrary(): Promise<Library> {
  const define = {
    ENCODERFILE_PACKAGE: 'true',
    'process.env.ENCODERFILE_VERSION': JSON.stringify(ownVersion()),
    'import.meta.dirname': '__dirname',
  };
  const target = `node${LIBRARY_NODE}`;
  const bundles = await Promise.all(
    Object.entries(ENTRIES).map(async ([name, entry]) => ({
      name,
      ...(await bundle(repositoryFile(entry), define, { target, lineLimit: MAX_LINE })),
    })),
  );
  const decoders = await Promise.all(
    decoderFiles().map(async ([name, path]) => [name, await readFile(path)] as const),
  );
  const lists = await Promise.all(
    PLATFORMS.map(
      async (platform) => [shortName(platform), (await readNativeLibraries(platform)).list] as const,
    ),
  );
  const types = libraryTypes();
  const files = new Map<string, string | Uint8Array>([
    ...bundles.map(({ name, code }) => [name, code] as const),
    ['index.mjs', readOwnText('templates/release/node/index.mjs')],
    ['index.d.mts', types],
    ['index.d.cts', types],
    ...decoders,
    [ASSET_NATIVE_LIST, JSON.stringify(Object.fromEntries(lists))],
  ]);
  return new Map([...files].map(([name, content]) => [`lib/${name}`, content]));
}
