import type { Manifest } from '#contract/manifest.ts';
import type { ServingEngine } from '#encoder/engine/serving.ts';
import { DEFAULT_LIMITS } from './default-limits.ts';

/** An engine without a model, for behavior that a real engine cannot be forced to show: `run` returns its results. */
export function standInEngine(manifest: Partial<Manifest>, run: ServingEngine['run']): ServingEngine {
  const unused = (): never => {
    throw new Error('not for these tests');
  };
  return {
    manifest: {
      name: 'stand-in',
      version: '1.0.0',
      modelType: 'sequence_classification',
      builtBy: 'encoderfile 1.2.3',
      inputs: ['input_ids', 'attention_mask'],
      output: 'logits',
      width: 2,
      precision: 'float32',
      tokenizer: {
        maxLength: 128,
        truncationSide: 'right',
        padId: 0,
        vocabularySize: 100,
        marksSubwords: false,
      },
      ...manifest,
      // A test combines the parts that it needs.
    } as Manifest,
    limits: DEFAULT_LIMITS,
    run,
    tokenize: unused,
    decode: unused,
    tokenOf: unused,
    idOf: unused,
    stats: () => ({ queued: 0, workers: 1 }),
    close: () => Promise.resolve(),
  };
}
