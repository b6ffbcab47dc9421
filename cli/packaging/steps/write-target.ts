import type { Platform } from '#contract/platforms.ts';
import type { FileTarget } from '#platform/files/output-target.ts';
import { bundleBuildTool } from '../base/build-tool.ts';
import { buildRuntime } from '../base/make-runtime.ts';
import { nodeBinary } from '../base/node-binary.ts';
import { bundleProgram, programKey } from '../base/program.ts';
import { provideBase } from '../base/provide-base.ts';
import { writeContainer } from './write-container.ts';

export interface TargetInput {
  readonly target: 'encoderfile' | 'manager' | 'gateway';
  readonly platform: Platform;
  readonly version: string;
  readonly cacheDir: string;
  readonly canDownload: boolean;
  readonly output: FileTarget;
}

/** Writes a program without a model as a single file; returns its size. */
export async function writeTarget(input: TargetInput): Promise<number> {
  return await (input.target === 'encoderfile'
    ? writeBuildTool(input)
    : writeServer({ ...input, target: input.target }));
}

/** The build tool is appended to a base runtime, which is also the base of the models that it builds. */
async function writeBuildTool(input: TargetInput): Promise<number> {
  const { platform, output } = input;
  const { base } = await provideBase(input);
  const runtime = { ...base.info, program: 'encoderfile' };
  return await writeContainer({
    executable: { ...base, offset: 0 },
    payload: [
      { name: 'runtime', content: { bytes: new TextEncoder().encode(JSON.stringify(runtime)) } },
      ...(await bundleBuildTool(platform)),
    ],
    platform,
    output,
  });
}

async function writeServer({
  target,
  platform,
  version,
  cacheDir,
  canDownload,
  output,
}: TargetInput & { readonly target: 'manager' | 'gateway' }): Promise<number> {
  const program = await bundleProgram(target, version);
  const node = await nodeBinary(platform, cacheDir, canDownload);
  const key = programKey(program);
  return await buildRuntime({
    platform,
    name: target,
    version,
    key,
    node,
    program,
    native: undefined,
    output,
  });
}
