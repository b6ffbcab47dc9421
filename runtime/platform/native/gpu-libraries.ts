import { createRequire } from 'node:module';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { isSea } from 'node:sea';
import { configError } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { inspect } from '#core/model/inspection.ts';
import { readSharedLibrary, type SharedLibrary } from '#core/native/shared-library.ts';
import { openFileSource } from '../file-source.ts';

/** ONNX Runtime's libraries for CUDA, and what they need. */
export interface GpuLibraries {
  /** Paths of the libraries that ONNX Runtime searches for next to its own library. */
  readonly providers: readonly string[];
  /** Names of the libraries that they link to. */
  readonly needed: readonly string[];
  /** Paths of libraries that CUDA's provider opens by name when it needs them. */
  readonly optional: readonly string[];
  /** Folders that can contain CUDA's libraries. The system's folders are searched after them. */
  readonly folders: readonly string[];
}

/** The first one is loaded by the other. */
const PROVIDERS = ['libonnxruntime_providers_shared.so', 'libonnxruntime_providers_cuda.so'];
/** Where the package `onnxruntime-gpu` has these files, relative to the folder that pip installs into. */
const PACKAGE_FOLDER = 'onnxruntime/capi';
/** Where NVIDIA's packages have their libraries: `nvidia/cu13/lib`. */
const NVIDIA_FOLDER = 'nvidia';
/** cuDNN, cuFFT and the compiler of CUDA. */
const OPTIONAL = /^lib(?:cudnn|cufft|nvrtc)\.so\.\d+$/;

/**
 * Finds the CUDA libraries in the folder of `--gpu-libraries`. Throws if they are missing or do not fit,
 * because ONNX Runtime would load libraries of another version and crash.
 */
export function findGpuLibraries(
  folder: string,
  version: string,
  host: Pick<typeof process, 'platform' | 'arch'> = process,
): GpuLibraries {
  if (host.platform !== 'linux' || host.arch !== 'x64')
    throw configError(
      `--gpu-libraries requires Linux on x64, and this machine has ${host.platform} on ${host.arch}. Remove the flag.`,
    );
  const root = resolve(folder);
  const found = [root, join(root, PACKAGE_FOLDER)].find((one) =>
    PROVIDERS.every((name) => isFile(join(one, name))),
  );
  if (found === undefined)
    throw configError(
      `--gpu-libraries: ${root} does not contain ${PROVIDERS.join(' and ')}. Install them with: pip install --target ${root} "${packageOf(version)}"`,
    );
  const providers = PROVIDERS.map((name) => join(found, name));
  const needed = providers.flatMap((path) => {
    const library = readLibrary(path);
    if (basename(path) === PROVIDERS[1]) checkVersion(path, library, version);
    return library.needed;
  });
  const folders = [found, ...nvidiaFolders(root)];
  const optional = folders.flatMap((one) =>
    namesIn(one).flatMap((name) => (OPTIONAL.test(name) ? [join(one, name)] : [])),
  );
  return { providers, needed: [...new Set(needed)], optional, folders };
}

const packageOf = (version: string): string => `onnxruntime-gpu[cuda,cudnn]==${version}`;

const isFile = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isFile() === true;

function readLibrary(path: string): SharedLibrary {
  const source = openFileSource(path);
  try {
    const library = readSharedLibrary(source);
    if (library) return library;
  } finally {
    source.close();
  }
  throw configError(`--gpu-libraries: ${path} is not a library for Linux on x64. Install it again.`);
}

function checkVersion(path: string, { versions }: SharedLibrary, version: string): void {
  if (versions.includes(version)) return;
  const found = versions.length === 0 ? 'an unknown version' : versions.join(' or ');
  throw configError(
    `--gpu-libraries: ${path} belongs to ONNX Runtime ${found}, and this program contains ${version}. Install ${packageOf(version)}.`,
  );
}

/** The folders with libraries of NVIDIA's Python packages. */
const nvidiaFolders = (root: string): string[] =>
  namesIn(join(root, NVIDIA_FOLDER)).map((name) => join(root, NVIDIA_FOLDER, name, 'lib'));

/** The names in a folder; none if there is no such folder, because CUDA is installed on the system. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** The version of ONNX Runtime in this program. */
export function onnxruntimeVersion(): string {
  if (!isSea()) {
    const path = createRequire(import.meta.url).resolve('onnxruntime-node/package.json');
    return (parseJsonText(readFileSync(path, 'utf8')) as { version: string }).version;
  }
  const source = openFileSource(process.execPath);
  try {
    return inspect(source).runtime.onnxruntime ?? 'unknown';
  } finally {
    source.close();
  }
}
