import type { Manifest } from '#contract/manifest.ts';
import type { EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';

const TIMINGS = { tokenization: 1, queue: 2, inference: 3, total: 6 };

/** An engine for a model with one label: `answer` returns the result of each input as JSON. */
export function answeringEngine(
  manifest: Partial<Manifest>,
  answer: (input: EngineRequest['inputs'][number]) => unknown,
): ServingEngine {
  const encode = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
  return standInEngine({ width: 1, ...manifest }, async ({ inputs }) => {
    const results = await Promise.all(inputs.map(async (input) => encode(await answer(input))));
    return { results, tokens: inputs.map(() => 7), truncated: [], timings: TIMINGS };
  });
}
