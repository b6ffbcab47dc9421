import { existsSync } from 'node:fs';
import { lazy } from '#core/values/lazy.ts';
import { FORMAT_VERSION } from '#contract/container/footer.ts';
import type { Platform } from '#contract/platforms.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { sha256 } from '#platform/sha256.ts';
import { ICU_EDIT } from '../binary/elf-icu.ts';
import { LIBATOMIC_EDIT } from '../binary/elf-libatomic.ts';
import { ownVersion } from '../../adapters/own-files.ts';
import { basePath, type BaseRequest, openBase, openIntactBase, type ProvidedBase } from './base-runtime.ts';
import { knownKey } from './known-keys.ts';
import { buildRuntime } from './make-runtime.ts';
import { type NativeSources, readNativeLibraries } from './native-libraries.ts';
import { nodeBinary } from './node-binary.ts';
import { bundleProgram, type ProgramFiles, programKey } from './program.ts';

/**
 * Returns a base runtime from the cache. If it is missing, it is built first. Its name in the cache
 * is a hash of its inputs.
 */
export async function provideBuilt({
  platform,
  version,
  cacheDir,
  canDownload,
}: BaseRequest): Promise<ProvidedBase> {
  const readSources = lazy(() => baseSources(platform, version));
  const path = await pathOf(platform, version, cacheDir, readSources);
  const isCached = existsSync(path);
  // A corrupted base runtime is replaced by a new one.
  const cached = isCached ? await openIntactBase(path, platform).catch(() => undefined) : undefined;
  if (cached) return { base: cached, origin: 'cache' };
  const { program, native, key } = await readSources();
  const node = await nodeBinary(platform, cacheDir, canDownload);
  const output = findOutputFile(path);
  await buildRuntime({ platform, name: 'encoder', version, key, node, program, native, output });
  return { base: await openBase(path, platform), origin: isCached ? 'rebuilt' : 'built' };
}

/**
 * Returns the cache path of the base runtime that a build for this platform uses, whether it exists
 * or not.
 */
export function builtPath(platform: Platform, cacheDir: string): Promise<string> {
  const version = ownVersion();
  return pathOf(platform, version, cacheDir, () => baseSources(platform, version));
}

async function pathOf(
  platform: Platform,
  version: string,
  cacheDir: string,
  readSources: () => Promise<BaseSources>,
): Promise<string> {
  const key = await knownKey(cacheDir, platform.triple, async () => (await readSources()).key);
  return basePath(cacheDir, platform, version, key);
}

interface BaseSources {
  readonly program: ProgramFiles;
  readonly native: NativeSources;
  readonly key: string;
}

/** Returns the inputs of this version's base runtime, and a hash of all inputs. */
async function baseSources(platform: Platform, version: string): Promise<BaseSources> {
  const [program, native] = await Promise.all([
    bundleProgram('encoder', version),
    readNativeLibraries(platform),
  ]);
  const key = sha256(
    JSON.stringify([
      FORMAT_VERSION,
      version,
      platform.integrity,
      LIBATOMIC_EDIT,
      ICU_EDIT,
      native.list.key,
      programKey(program),
    ]),
  );
  return { program, native, key };
}
