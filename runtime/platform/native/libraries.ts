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
import { findUnpacked } from './find-unpacked.ts';
import type { GpuLibraries } from './gpu-libraries.ts';

export interface NativeLibraries {
  /** Path of the ONNX Runtime addon, which each inference thread loads separately. */
  readonly onnxruntime: string;
  readonly tokenizers: TokenizersAddon;
  /** Path of Lua as WebAssembly, for threads that run a transform. */
  readonly lua: string;
  /** The libraries for NVIDIA GPUs, if the user has some. */
  readonly cuda?: GpuLibraries | undefined;
}

/**
 * Loads the native libraries, extracted from the executable, or from node_modules when running from
 * source. For the npm package, the build tool extracts those that it contains.
 */
export async function loadNativeLibraries(cacheDir?: string): Promise<NativeLibraries> {
  if (isExecutable()) return await loadUnpacked(listInExecutable(), unpack, cacheDir);
  return isPackage() ? await loadUnpacked(listInPackage(), extractWithTool, cacheDir) : loadInstalled();
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

/** Extracts the libraries of this executable below a folder, and returns the folder with them. */
export async function extractLibraries(root: string): Promise<string> {
  if (!isExecutable()) throw new Error('only an executable contains native libraries');
  const list = listInExecutable();
  return findUnpacked(root, list) ?? (await unpack(root, list));
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

/** Extracts the libraries of a list below a folder, and returns the folder with them. */
type Extract = (root: string, list: NativeList) => Promise<string>;

/** Imported on demand: most starts find the libraries. */
const extractWithTool: Extract = async (root) => {
  const { runBuildTool } = await import('../build-tool.ts');
  const { folder } = (await runBuildTool(['extract-libraries', root])) as { readonly folder: string };
  return folder;
};

async function loadUnpacked(list: NativeList, extract: Extract, cacheDir?: string): Promise<NativeLibraries> {
  const failures: string[] = [];
  for (const root of cacheFolders(cacheDir ?? process.env[CACHE_DIR_VARIABLE])) {
    try {
      const folder = findUnpacked(root, list) ?? (await extract(root, list));
      // Loading a library is the only reliable way to detect a folder that forbids execution.
      const tokenizers = loadTokenizers(folder);
      return { onnxruntime: join(folder, ONNXRUNTIME_ADDON), tokenizers, lua: join(folder, LUA_WASM) };
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
async function unpack(root: string, list: NativeList): Promise<string> {
  const { unpackNative } = await import('./unpack.ts');
  return unpackNative(root, list, (file) => new Uint8Array(seaAssets().getRawAsset(nativeAsset(file))));
}

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
