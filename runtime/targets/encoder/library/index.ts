import { isMainThread } from 'node:worker_threads';
import { configError } from '#contract/errors.ts';
import { LIBRARY_NODE } from '#contract/platforms.ts';
import { openServingEngine } from '../engine/serving-engine.ts';
import { EncoderModel } from './encoder-model.ts';
import { EncoderfileError, withOwnErrors } from './errors.ts';
import { checkOptions, engineOptions } from './options.ts';
import { findModel } from './source.ts';
import type { Open, OpenOptions } from './types.ts';

export { EncoderfileError };

// ONNX Runtime reads this variable when it is loaded, possibly in a thread that only has a copy of the
// process's variables. Without it, it records usage data in the home folder.
if (isMainThread) process.env['ORT_DISABLE_TELEMETRY'] ??= '1';

// The public type of the model follows from its type, which is only known at run time.
export const open = openAny as Open;

function openAny(source: string | URL, options: OpenOptions = {}): Promise<EncoderModel> {
  return withOwnErrors(options, async () => {
    requireNode(process.versions.node);
    checkOptions(options);
    const { signal } = options;
    const path = await findModel(source, options);
    signal?.throwIfAborted();
    const model = new EncoderModel(await openServingEngine(path, engineOptions(options)));
    try {
      signal?.throwIfAborted();
      requireType(model, options.type);
    } catch (error) {
      await model.close();
      throw error;
    }
    return model;
  });
}

/** @internal Exported for tests only. */
export function requireNode(version: string): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = LIBRARY_NODE.split('.').map(Number);
  if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return;
  throw configError(
    `encoderfile requires Node ${oldestMajor}.${oldestMinor} or newer to run models in a program, but this is Node ${version}. Use a newer Node, or the server of an executable.`,
  );
}

function requireType({ name, type }: EncoderModel, wanted: string | undefined): void {
  if (wanted === undefined || wanted === type) return;
  throw configError(
    `${name} is of type ${type}, not ${wanted}. Pass type: '${type}', or open another model.`,
  );
}
