import { dirname, resolve } from 'node:path';
import { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { QuantizeForm } from '#contract/quantization.ts';
import { shortName } from '#contract/platforms.ts';
import type { FileLock } from '#platform/files/file-lock.ts';
import { lockOutput } from '#platform/files/output-lock.ts';
import { createFolders } from '#platform/files/create-folders.ts';
import { explainWriteError } from '#platform/files/write-error.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { defaultOutputName } from '../../config/output-name.ts';
import {
  cachedPath,
  cleanExecutables,
  isUsable,
  markUsed,
  removeExecutable,
} from '../../packaging/executables/executable-cache.ts';
import { executableKey } from '../../packaging/executables/executable-key.ts';
import { type BuildFlags, hostPlatform, planBuild } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { buildFrom, withFlags } from '../build-executable/index.ts';
import { readBuildConfig } from '../read-config.ts';

/** A model to build into the cache, with the flags of `try` and `run`. */
export interface ExecutableRequest {
  /** A model on the hub, a folder or a file in it, as for `build`. */
  readonly model: string;
  readonly modelType?: ModelType | undefined;
  readonly variant?: string | undefined;
  readonly quantize?: QuantizeForm | undefined;
  readonly offline: boolean;
  readonly cacheDir?: string | undefined;
}

/**
 * Returns the path of an executable of a model for this machine. It is built into the cache unless
 * the cache has one that was built from the same files with the same settings.
 */
export async function provideExecutable(request: ExecutableRequest, report: Reporter): Promise<string> {
  const { model, modelType, variant, quantize, offline } = request;
  const cacheDir = resolve(request.cacheDir ?? defaultCacheDir());
  const host = { os: process.platform, cpu: process.arch };
  const platform = hostPlatform(host);
  const options = { report, modelType, variant, offline };
  const config = { ...(await readBuildConfig({ folder: model }, options)), build: true };
  const flags: BuildFlags = {
    format: 'executable',
    noBuild: false,
    platform: shortName(platform),
    quantize,
    cacheDir,
    offline,
    noDownload: offline,
    force: true,
  };
  const key = await executableKey(withFlags(config, flags), planBuild(config, flags, host));
  const path = cachedPath(cacheDir, key, defaultOutputName(config.name, platform.exeSuffix));
  if (!(await isUsable(path))) await buildOnce(path, config, flags, report);
  markUsed(path);
  cleanExecutables(cacheDir, path);
  return path;
}

/** Builds an executable. If another process is building it, waits and uses its result. */
async function buildOnce(
  path: string,
  config: Awaited<ReturnType<typeof readBuildConfig>>,
  flags: BuildFlags,
  report: Reporter,
): Promise<void> {
  const lock = await lockFolder(path, report);
  try {
    if (await isUsable(path)) return;
    createOwnFolder(path);
    await buildFrom(() => Promise.resolve(config), { ...flags, outputPath: path }, report);
  } finally {
    lock.release();
  }
}

async function lockFolder(path: string, report: Reporter): Promise<FileLock> {
  try {
    return await lockOutput({ path: dirname(path) }, () =>
      report.print('Waiting for another process that builds the same model'),
    );
  } catch (error) {
    throw notWritable(path, error instanceof AppError ? (error.cause ?? error) : error);
  }
}

const notWritable = (path: string, error: unknown): unknown =>
  explainWriteError(dirname(path), error, 'Pass another --cache-dir');

/** Replaces what is there, because it is incomplete, or because another user could change it. */
function createOwnFolder(path: string): void {
  try {
    removeExecutable(path);
    createFolders(dirname(path), 0o755);
  } catch (error) {
    throw notWritable(path, error);
  }
}
