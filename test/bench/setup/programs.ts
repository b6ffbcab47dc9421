import type { Program } from '../measure/child.ts';
import type { ModelName } from '../models/shapes.ts';
import { PATHS } from './paths.ts';

/** The measured programs. All run on the same Node as the benchmark. */

export const encoder = (executable: string, ...args: readonly string[]): Program => ({
  command: executable,
  args,
  env: { ENCODERFILE_CACHE_DIR: PATHS.nativeCache },
});

export const transformersOne = (model: ModelName, text: string): Program => ({
  command: process.execPath,
  args: [PATHS.transformersChild, 'one', PATHS.models, model, text],
});

export const transformersMany = (
  model: ModelName,
  job: { texts: string; output: string; batchSize: number },
): Program => ({
  command: process.execPath,
  args: [PATHS.transformersChild, 'many', PATHS.models, model, job.texts, job.output, String(job.batchSize)],
});

/** `encoderfile target build`, in the same way. */
export const targetBuilder = (target: 'manager' | 'gateway'): Program => ({
  command: process.execPath,
  args: [PATHS.cli, 'target', 'build', target, '-o', PATHS[target], '--cache-dir', PATHS.buildCache],
});

/** `encoderfile build` without the launcher, which only finds the Node that is already running. */
export const builder = (config: string, output: string): Program => ({
  command: process.execPath,
  args: [PATHS.cli, 'build', '-f', config, '-o', output, '--cache-dir', PATHS.buildCache],
});
