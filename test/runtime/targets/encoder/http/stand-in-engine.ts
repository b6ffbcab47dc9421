import { AppError } from '../../../../../runtime/contract/errors.ts';
import type { Manifest } from '../../../../../runtime/contract/manifest.ts';
import type { EngineRequest, ServingEngine } from '../../../../../runtime/targets/encoder/engine/api.ts';
import { DEFAULT_LIMITS } from '../../../../../runtime/targets/encoder/engine/serving-engine.ts';

const TIMINGS = { tokenization: 1, queue: 2, inference: 3 };

/** An engine without a model: `answer` makes each input's result, as JSON. */
export function standInEngine(
  manifest: Partial<Manifest>,
  answer: (input: EngineRequest['inputs'][number]) => unknown,
): ServingEngine {
  const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  const unused = (): Promise<never> => Promise.reject(new AppError('InternalError', 'not in this test'));
  return {
    manifest: {
      name: 'stand-in',
      version: '1.0.0',
      modelType: 'sequence_classification',
      builtBy: 'a test',
      inputs: ['input_ids', 'attention_mask'],
      output: 'logits',
      width: 1,
      precision: 'float32',
      tokenizer: {
        maxLength: 128,
        truncationSide: 'right',
        padId: 0,
        vocabularySize: 100,
        marksSubwords: false,
      },
      ...manifest,
    },
    limits: DEFAULT_LIMITS,
    async run({ inputs }) {
      const results = await Promise.all(inputs.map(async (input) => encode(await answer(input))));
      return { results, tokens: inputs.map(() => 7), timings: TIMINGS };
    },
    tokenize: unused,
    decode: unused,
    stats: () => ({ queued: 0, workers: 1 }),
    close: () => Promise.resolve(),
  };
}
