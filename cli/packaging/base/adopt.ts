import { configError } from '#contract/errors.ts';
import { inspect } from '#core/model/inspection.ts';
import type { Platform } from '#contract/platforms.ts';
import { findOutputFile } from '#platform/files/output-target.ts';
import { withFileSource } from '#platform/file-source.ts';
import { requireIntactFile } from '#platform/verify-file.ts';
import { parsePlatform } from '../plan.ts';
import { writeContainer } from '../steps/write-container.ts';
import { type BaseRuntime, basePath, openBase } from './base-runtime.ts';

/**
 * Imports a base runtime into the cache. Its checksum is verified first, because later builds rely
 * on the file. If the file is a model executable, only its base runtime is copied.
 */
export async function adoptBase(
  file: string,
  wanted: Platform | undefined,
  cacheDir: string,
): Promise<BaseRuntime> {
  const platform = await withFileSource(
    file,
    (source) => wanted ?? parsePlatform(inspect(source).runtime.platform),
  );
  const base = await openBase(file, platform);
  // Rejects unsafe characters, because both values become part of a path.
  if (!/^\d[\w.+-]*$/.test(base.info.version) || !/^[0-9a-f]{64}$/.test(base.info.key))
    throw configError(`${file} is not a base runtime built by encoderfile: its version or key is malformed.`);
  await requireIntactFile(file);
  const output = basePath(cacheDir, platform, base.info.version, base.info.key);
  await writeContainer({
    executable: { ...base, offset: 0 },
    payload: [{ name: 'runtime', content: { bytes: new TextEncoder().encode(JSON.stringify(base.info)) } }],
    platform,
    output: findOutputFile(output),
  });
  return await openBase(output, platform);
}
