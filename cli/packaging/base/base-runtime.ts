import { join } from 'node:path';
import { readContainer, requireSection } from '#contract/container/read.ts';
import { configError } from '#contract/errors.ts';
import type { RuntimeInfo } from '#contract/manifest.ts';
import type { Platform } from '#contract/platforms.ts';
import { withFileSource } from '#platform/file-source.ts';
import { requireIntactFile } from '#platform/verify-file.ts';
import { parseRuntimeInfo } from '#core/model/manifest-json.ts';

/** A base runtime that a model can be appended to. Its program is the first `length` bytes of the file. */
export interface BaseRuntime {
  readonly path: string;
  readonly length: number;
  /** Recorded hash of the program, verified before the program is used. */
  readonly sha256: string;
  readonly fileSize: number;
  readonly info: RuntimeInfo;
}

export interface BaseRequest {
  readonly platform: Platform;
  readonly version: string;
  readonly cacheDir: string;
  readonly canDownload: boolean;
}

/**
 * Where a base runtime comes from. `own` is the file of the one-file build tool; `rebuilt` replaced
 * a corrupted one.
 */
export type BaseOrigin = 'own' | 'cache' | 'built' | 'rebuilt' | 'downloaded';

export interface ProvidedBase {
  readonly base: BaseRuntime;
  readonly origin: BaseOrigin;
}

/** Returns the path of a base runtime in the cache. */
export const basePath = (
  cacheDir: string,
  { triple, exeSuffix }: Platform,
  version: string,
  key: string,
): string => join(baseFolder(cacheDir, version), `${triple}-${key.slice(0, 16)}${exeSuffix}`);

export const baseFolder = (cacheDir: string, version: string): string => join(cacheDir, 'base', version);

/**
 * Opens a file as a base runtime. Model executables and the build tool qualify too; appended data
 * is ignored.
 */
export async function openBase(path: string, platform: Platform): Promise<BaseRuntime> {
  return await withFileSource(path, (source) => {
    const container = readContainer(source);
    const executable = requireSection(source, container, 'executable');
    const runtime = requireSection(source, container, 'runtime');
    const { program, ...info } = parseRuntimeInfo(source.readAt(runtime.offset, runtime.length));
    // The build tool is appended to a base runtime in the same way as a model.
    if (program !== undefined && program !== 'encoderfile') {
      throw configError(`${path} is not a base runtime for models: it contains the program ${program}.`);
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

/**
 * Opens a base runtime and verifies its recorded checksum, because a corrupted base runtime would
 * corrupt every build.
 */
export async function openIntactBase(path: string, platform: Platform): Promise<BaseRuntime> {
  const base = await openBase(path, platform);
  // Its sections are not read, because a model in the same file is ignored.
  const sections = await withFileSource(path, (source) => {
    const container = readContainer(source);
    return (['executable', 'runtime'] as const).map((name) => requireSection(source, container, name));
  });
  await requireIntactFile(path, { sections });
  return base;
}
