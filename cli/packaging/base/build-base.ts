import { existsSync } from 'node:fs';
import { FORMAT_VERSION } from '../../../runtime/contract/container/footer.ts';
import type { Platform } from '../../../runtime/contract/platforms.ts';
import { findOutputFile } from '../../../runtime/platform/files/output-target.ts';
import { sha256 } from '../../../runtime/platform/sha256.ts';
import { LIBATOMIC_EDIT } from '../binary/elf-libatomic.ts';
import { ownVersion } from '../../adapters/own-files.ts';
import { basePath, type BaseRequest, openBase, openIntactBase, type ProvidedBase } from './base-runtime.ts';
import { knownKey } from './known-keys.ts';
import { buildRuntime } from './make-runtime.ts';
import { type NativeSources, readNativeLibraries } from './native-libraries.ts';
import { nodeBinary } from './node-binary.ts';
import { bundleProgram, type Program, programKey } from './program.ts';

/** Returns a base runtime from the cache, or builds and caches it. Its name in the cache is a hash of its inputs. */
export async function provideBuilt({
  platform,
  version,
  cacheDir,
  canDownload,
}: BaseRequest): Promise<ProvidedBase> {
  const path = await builtPath(platform, cacheDir);
  const isCached = existsSync(path);
  // A corrupted base runtime is replaced by a new one.
  const cached = isCached ? await openIntactBase(path, platform).catch(() => undefined) : undefined;
  if (cached) return { base: cached, origin: 'cache' };
  const { program, native, key } = await baseSources(platform, version);
  const node = await nodeBinary(platform, cacheDir, canDownload);
  const output = findOutputFile(path);
  await buildRuntime({ platform, name: 'encoder', version, key, node, program, native, output });
  return { base: await openBase(path, platform), origin: isCached ? 'rebuilt' : 'built' };
}

/** Returns the path in the cache of the base runtime that a build for this platform uses, whether it exists or not. */
export async function builtPath(platform: Platform, cacheDir: string): Promise<string> {
  const version = ownVersion();
  const key = await knownKey(
    cacheDir,
    platform.triple,
    async () => (await baseSources(platform, version)).key,
  );
  return basePath(cacheDir, platform, version, key);
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
    JSON.stringify([
      FORMAT_VERSION,
      version,
      platform.integrity,
      LIBATOMIC_EDIT,
      native.list.key,
      programKey(program),
    ]),
  );
  return { program, native, key };
}
