import { resolve } from 'node:path';
import { shortName } from '../../../runtime/contract/platforms.ts';
import { ownVersion } from '../../adapters/package-files.ts';
import { defaultCacheDir } from '../../adapters/user-folders.ts';
import { buildRuntime } from '../../packaging/base/make-runtime.ts';
import { nodeBinary } from '../../packaging/base/node-binary.ts';
import { bundleProgram, programKey } from '../../packaging/base/program.ts';
import { hostPlatform, parsePlatform } from '../../packaging/plan.ts';
import type { Reporter } from '../../packaging/reporter.ts';
import { checkOutput } from '../../packaging/steps/check-output.ts';
import type { TargetBuildResult } from './build-result.ts';

export interface TargetBuildRequest {
  readonly target: TargetBuildResult['target'];
  readonly output: string | undefined;
  readonly platform: string | undefined;
  readonly cacheDir: string | undefined;
  readonly canDownload: boolean;
  readonly force: boolean;
}

const FILE_NAMES = { manager: 'mcp-manager', gateway: 'gateway' };

/** `encoderfile target build`: builds a program without a model as a single file. */
export async function buildTarget(request: TargetBuildRequest, report: Reporter): Promise<TargetBuildResult> {
  const started = performance.now();
  const { target, canDownload } = request;
  const platform =
    request.platform === undefined
      ? hostPlatform({ os: process.platform, cpu: process.arch })
      : parsePlatform(request.platform);
  const shown = request.output ?? `${FILE_NAMES[target]}${platform.exeSuffix}`;
  const output = await checkOutput({
    shown,
    kind: 'executable',
    product: { program: target },
    inputs: [],
    force: request.force,
  });
  const step = report.step(`Building ${FILE_NAMES[target]} for ${shortName(platform)}`);
  const version = ownVersion();
  const program = await bundleProgram(target, version);
  const node = await nodeBinary(platform, resolve(request.cacheDir ?? defaultCacheDir()), canDownload);
  const key = programKey(program);
  const bytes = await buildRuntime({
    platform,
    name: target,
    version,
    key,
    node,
    program,
    native: undefined,
    output,
  });
  step.done();
  return {
    target,
    path: resolve(shown),
    bytes,
    platform: platform.triple,
    seconds: (performance.now() - started) / 1000,
  };
}
