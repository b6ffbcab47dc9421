import { configError } from '#contract/errors.ts';
import { openServingEngine } from '../engine/serving-engine.ts';
import { EncoderModel } from './encoder-model.ts';
import { EncoderfileError, withOwnErrors } from './errors.ts';
import { checkOptions, engineOptions } from './options.ts';
import { findModel } from './source.ts';
import type { Open, OpenOptions } from './types.ts';

export { EncoderfileError };

// The public type of the model follows from its type, which is only known at run time.
export const open = openAny as Open;

function openAny(source: string | URL, options: OpenOptions = {}): Promise<EncoderModel> {
  return withOwnErrors(options, async () => {
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

function requireType({ name, type }: EncoderModel, wanted: string | undefined): void {
  if (wanted === undefined || wanted === type) return;
  throw configError(
    `${name} is of type ${type}, not ${wanted}. Pass type: '${type}', or open another model.`,
  );
}
