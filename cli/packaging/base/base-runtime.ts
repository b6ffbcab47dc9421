import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FORMAT_VERSION } from '../../../runtime/contract/container/footer.ts';
import { readContainer, requireSection } from '../../../runtime/contract/container/read.ts';
import { configError } from '../../../runtime/contract/errors.ts';
import type { RuntimeInfo } from '../../../runtime/contract/manifest.ts';
import { type Platform, shortName } from '../../../runtime/contract/platforms.ts';
import { findOutputFile } from '../../../runtime/platform/files/output-target.ts';
import { withFileSource } from '../../../runtime/platform/file-source.ts';
import { sha256 } from '../../../runtime/platform/sha256.ts';
import { requireIntactFile } from '../../../runtime/platform/verify-file.ts';
import { ownVersion } from '../../adapters/package-files.ts';
import { buildRuntime } from './make-runtime.ts';
import { type NativeSources, readNativeLibraries } from './native-libraries.ts';
import { nodeBinary } from './node-binary.ts';
import { bundleProgram, type Program, programKey } from './program.ts';
import { parseRuntimeInfo } from '../../../runtime/core/model/manifest-json.ts';

/** A base runtime that a model can be appended to: its program is the first `length` bytes of the file. */
export interface BaseRuntime {
  readonly path: string;
  readonly length: number;
  /** Recorded hash of those bytes, compared before they are used. */
  readonly sha256: string;
  readonly fileSize: number;
  readonly info: RuntimeInfo;
}

export interface BaseRequest {
  readonly platform: Platform;
  readonly version: string;
  readonly cacheDir: string;
  readonly canDownload: boolean;
  /** Called before a base runtime is built, with the reason. */
  readonly onMake: (reason: 'missing' | 'damaged') => void;
}

/**
 * Returns the base runtime of a platform and version from the cache, or builds and caches it. Its name in the cache is a hash
 * of its inputs.
 */
export async function provideBase(request: BaseRequest): Promise<BaseRuntime> {
  const { platform, version, cacheDir } = request;
  if (version !== ownVersion()) return await findBase(request);
  const { program, native, key } = await baseSources(platform, version);
  const path = basePath(cacheDir, platform, version, key);
  const isCached = existsSync(path);
  // A corrupted base runtime is replaced by a new one.
  const cached = isCached ? await openIntactBase(path, platform).catch(() => undefined) : undefined;
  if (cached) return cached;
  const node = await nodeBinary(platform, cacheDir, request.canDownload);
  request.onMake(isCached ? 'damaged' : 'missing');
  const output = findOutputFile(path);
  await buildRuntime({ platform, name: 'encoder', version, key, node, program, native, output });
  return await openBase(path, platform);
}

/** Returns the inputs of a base runtime of this version, and the hash over all of them. */
async function baseSources(
  platform: Platform,
  version: string,
): Promise<{ program: Program; native: NativeSources; key: string }> {
  const [program, native] = await Promise.all([
    bundleProgram('encoder', version),
    readNativeLibraries(platform),
  ]);
  const key = sha256(
    JSON.stringify([FORMAT_VERSION, version, platform.integrity, native.list.key, programKey(program)]),
  );
  return { program, native, key };
}

/** Returns the path in the cache of the base runtime that a build for this platform uses, whether it exists or not. */
export async function ownBasePath(platform: Platform, cacheDir: string): Promise<string> {
  const version = ownVersion();
  return basePath(cacheDir, platform, version, (await baseSources(platform, version)).key);
}

/** Returns the path of a base runtime in the cache. */
export const basePath = (
  cacheDir: string,
  { triple, exeSuffix }: Platform,
  version: string,
  key: string,
): string => join(baseFolder(cacheDir, version), `${triple}-${key.slice(0, 16)}${exeSuffix}`);

const baseFolder = (cacheDir: string, version: string): string => join(cacheDir, 'base', version);

/** Opens a file as a base runtime. Every model executable is one too; its model is ignored. */
export async function openBase(path: string, platform: Platform): Promise<BaseRuntime> {
  return await withFileSource(path, (source) => {
    const container = readContainer(source);
    const executable = requireSection(source, container, 'executable');
    const runtime = requireSection(source, container, 'runtime');
    const info = parseRuntimeInfo(source.readAt(runtime.offset, runtime.length));
    if (info.program !== undefined) {
      throw configError(`${path} is not a base runtime for models: it contains the program ${info.program}.`);
    }
    if (info.platform !== platform.triple) {
      throw configError(
        `${path} is a base runtime for ${info.platform}, not for ${platform.triple}. Pass --platform ${info.platform}, or another base runtime.`,
      );
    }
    const { length, sha256: recorded } = executable;
    return { path, length, sha256: recorded, fileSize: source.size, info };
  });
}

/** Opens a base runtime and verifies its recorded checksum, because a corrupted one would corrupt every build. */
export async function openIntactBase(path: string, platform: Platform): Promise<BaseRuntime> {
  const base = await openBase(path, platform);
  // A model in the same file is ignored, so its sections are not read.
  const sections = await withFileSource(path, (source) => {
    const container = readContainer(source);
    return (['executable', 'runtime'] as const).map((name) => requireSection(source, container, name));
  });
  await requireIntactFile(path, { sections });
  return base;
}

/** Other versions cannot be built here, only found in the cache. */
async function findBase({ platform, version, cacheDir }: BaseRequest): Promise<BaseRuntime> {
  const folder = baseFolder(cacheDir, version);
  const names = await readdir(folder).catch(() => []);
  const name = names.find((candidate) => candidate.startsWith(`${platform.triple}-`));
  if (name) return await openIntactBase(join(folder, name), platform);
  throw configError(
    `No base runtime of version ${version} for ${shortName(platform)} in ${folder}; this encoderfile can only build ${ownVersion()}. ` +
      'Import one with `encoderfile base add --file`, pass --base-binary-path, or remove --runtime-version.',
  );
}
