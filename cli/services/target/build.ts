import { resolve } from 'node:path';
import { shortName } from '#contract/platforms.ts';
import { isOneFile, ownVersion } from '../../adapters/own-files.ts';
import { configError } from '#contract/errors.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { hostPlatform, parsePlatform } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { claimOutput } from '../../packaging/steps/check-output.ts';
import { type BuildTarget, TARGET_NAMES, type TargetBuildResult } from './build-result.ts';

export interface TargetBuildRequest {
  readonly target: BuildTarget;
  readonly output: string | undefined;
  readonly platform: string | undefined;
  readonly cacheDir: string | undefined;
  readonly canDownload: boolean;
  readonly force: boolean;
}

/** `encoderfile target build`: builds a program without a model as a single file. */
export async function buildTarget(request: TargetBuildRequest, report: Reporter): Promise<TargetBuildResult> {
  const started = performance.now();
  const { target, canDownload } = request;
  if (isOneFile()) {
    throw configError(
      `This encoderfile builds models only. Get ${TARGET_NAMES[target]} where you got encoderfile, or build it in a clone of the repository.`,
    );
  }
  const platform =
    request.platform === undefined
      ? hostPlatform({ os: process.platform, cpu: process.arch })
      : parsePlatform(request.platform);
  const shown = request.output ?? `${TARGET_NAMES[target]}${platform.exeSuffix}`;
  const cacheDir = resolve(request.cacheDir ?? defaultCacheDir());
  const { target: output, release } = await claimOutput(
    { shown, kind: 'executable', product: { program: target }, inputs: [], force: request.force },
    report,
  );
  let bytes: number;
  try {
    const step = report.step(`Building ${TARGET_NAMES[target]} for ${shortName(platform)}`);
    const { writeTarget } = await import('../../packaging/steps/write-target.ts');
    bytes = await writeTarget({ target, platform, version: ownVersion(), cacheDir, canDownload, output });
    step.done();
  } finally {
    release();
  }
  return {
    target,
    path: resolve(shown),
    bytes,
    platform: platform.triple,
    seconds: (performance.now() - started) / 1000,
  };
}
