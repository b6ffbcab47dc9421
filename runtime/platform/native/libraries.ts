import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { readFileSync } from 'node:fs';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import { ASSET_NATIVE_LIST, LUA_WASM, nativeAsset, type NativeList } from '#contract/native.ts';
import { isHost, PLATFORMS, shortName } from '#contract/platforms.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { isExecutable, isPackage, packageFile, seaAssets } from '../program-form.ts';
import type { TokenizersAddon } from '../tokenizer.ts';
import { CACHE_DIR_VARIABLE, cacheFolders } from './cache-folders.ts';
import { loadAddon } from './load-addon.ts';
import { findUnpacked, isSealedFile } from './find-unpacked.ts';
import type { GpuLibraries } from './gpu-libraries.ts';

export interface NativeLibraries {
  /** Path of the ONNX Runtime addon, which each inference thread loads separately. */
  readonly onnxruntime: string;
  readonly tokenizers: TokenizersAddon;
  /** Path of Lua as WebAssembly, for threads that run a transform. */
  readonly lua: string;
  /** Extracts the files that only a GPU needs, if this platform has any. Most starts do not need them. */
  readonly addGpuFiles?: (() => Promise<void>) | undefined;
  /** The libraries for NVIDIA GPUs, if the user has some. */
  readonly cuda?: GpuLibraries | undefined;
}

/**
 * Loads the native libraries, extracted from the executable, or from node_modules when running from
 * source. For the npm package, the build tool extracts those that it contains.
 */
export async function loadNativeLibraries(cacheDir?: string): Promise<NativeLibraries> {
  if (isExecutable()) return await loadUnpacked(listInExecutable(), fromExecutable, cacheDir);
  return isPackage() ? await loadUnpacked(listInPackage(), fromTool, cacheDir) : loadInstalled();
}

/** Adds the libraries of CUDA in the folder of `--gpu-libraries`. Must be called before ONNX Runtime is loaded. */
export async function withGpuLibraries(
  libraries: NativeLibraries,
  folder: string,
  cacheDir: string | undefined,
): Promise<NativeLibraries> {
  const [{ findGpuLibraries, onnxruntimeVersion }, { linkProviders }] = await Promise.all([
    import('./gpu-libraries.ts'),
    import('./link-providers.ts'),
  ]);
  const cuda = findGpuLibraries(folder, onnxruntimeVersion());
  const roots = cacheFolders(cacheDir ?? process.env[CACHE_DIR_VARIABLE]);
  // By default, matrix products on NVIDIA GPUs are computed with 10 bits of precision.
  process.env['NVIDIA_TF32_OVERRIDE'] ??= '0';
  return { ...libraries, cuda, onnxruntime: linkProviders(libraries.onnxruntime, cuda.providers, roots) };
}

/**
 * Extracts the libraries of this executable below a folder, and returns the folder with them. `withGpu` adds the files that
 * only a GPU needs.
 */
export async function extractLibraries(root: string, withGpu: boolean): Promise<string> {
  if (!isExecutable()) throw new Error('only an executable contains native libraries');
  const list = listInExecutable();
  const folder = findUnpacked(root, list) ?? (await fromExecutable.extract(root, list));
  if (withGpu) await fromExecutable.addGpuFiles(root, folder, list);
  return folder;
}

const listInExecutable = (): NativeList =>
  parseJsonText(seaAssets().getAsset(ASSET_NATIVE_LIST, 'utf8')) as NativeList;

/** The libraries of the build tool that belongs to this version of the npm package, so that most starts do not run it. */
function listInPackage(): NativeList {
  const lists = parseJsonText(readFileSync(packageFile(ASSET_NATIVE_LIST), 'utf8')) as Record<
    string,
    NativeList
  >;
  const list = lists[shortName(hostPlatform())];
  if (!list) throw new Error('the package lists no native libraries for this platform');
  return list;
}

/** Where the libraries of a list are extracted from. */
interface LibrarySource {
  /** Extracts the libraries below a folder, and returns the folder with them. */
  readonly extract: (root: string, list: NativeList) => Promise<string>;
  /** Adds the files for GPUs to `folder`, which is the folder below `root`. */
  readonly addGpuFiles: (root: string, folder: string, list: NativeList) => Promise<void>;
}

/** Imported on demand: most starts find the libraries. */
async function runExtraction(root: string, ...flags: string[]): Promise<string> {
  const { runBuildTool } = await import('../build-tool.ts');
  const result = (await runBuildTool(['extract-libraries', root, ...flags])) as { readonly folder: string };
  return result.folder;
}

const fromTool: LibrarySource = {
  extract: (root) => runExtraction(root),
  addGpuFiles: async (root, folder, { gpuFiles = [] }) => {
    if (gpuFiles.every((file) => isSealedFile(join(folder, file.name), file))) return;
    await runExtraction(root, '--gpu');
  },
};

async function loadUnpacked(
  list: NativeList,
  source: LibrarySource,
  cacheDir?: string,
): Promise<NativeLibraries> {
  const failures: string[] = [];
  for (const root of cacheFolders(cacheDir ?? process.env[CACHE_DIR_VARIABLE])) {
    try {
      const folder = findUnpacked(root, list) ?? (await source.extract(root, list));
      // Loading a library is the only reliable way to detect a folder that forbids execution.
      const tokenizers = loadTokenizers(folder);
      return {
        onnxruntime: join(folder, ONNXRUNTIME_ADDON),
        tokenizers,
        lua: join(folder, LUA_WASM),
        ...(list.gpuFiles && { addGpuFiles: () => source.addGpuFiles(root, folder, list) }),
      };
    } catch (error) {
      // If the system lacks a library, no other folder helps.
      if (error instanceof AppError && error.code === 'ConfigError') throw error;
      failures.push(`${root}: ${messageOf(error)}`);
    }
  }
  throw configError(
    'Cannot extract the native libraries: no folder is both writable and executable. ' +
      `Set ${CACHE_DIR_VARIABLE} (or --cache-dir) to such a folder. Tried:\n  ${failures.join('\n  ')}`,
  );
}

/** Imported on demand: only the first start needs zlib and crypto, which take a tenth of a start to load. */
const fromExecutable: LibrarySource = {
  async extract(root, list) {
    const { unpackNative } = await import('./unpack.ts');
    return unpackNative(root, list, readAsset);
  },
  async addGpuFiles(_root, folder, { gpuFiles = [] }) {
    const { addNative } = await import('./unpack.ts');
    addNative(folder, gpuFiles, readAsset);
  },
};

const readAsset = (file: string): Uint8Array => new Uint8Array(seaAssets().getRawAsset(nativeAsset(file)));

const ONNXRUNTIME_ADDON = 'onnxruntime_binding.node';

function loadInstalled(): NativeLibraries {
  const require = createRequire(import.meta.url);
  const folderOf = (name: string): string => dirname(require.resolve(`${name}/package.json`));
  const { platform, arch } = process;
  return {
    onnxruntime: join(folderOf('onnxruntime-node'), 'bin', 'napi-v6', platform, arch, ONNXRUNTIME_ADDON),
    tokenizers: loadTokenizers(folderOf('tokenizers')),
    lua: join(folderOf('wasmoon'), 'dist', 'glue.wasm'),
  };
}

const loadTokenizers = (folder: string): TokenizersAddon =>
  loadAddon(join(folder, hostPlatform().tokenizersFile)) as TokenizersAddon;

function hostPlatform(): (typeof PLATFORMS)[number] {
  const found = PLATFORMS.find((platform) => isHost(platform, process));
  if (found) return found;
  throw configError(
    `Unsupported platform ${process.platform}-${process.arch}: there are no native libraries for it.`,
  );
}
