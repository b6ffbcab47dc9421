import { configError } from '#contract/errors.ts';
import { findNotFinite } from '#core/numbers/finite.ts';
import type { PreparedGraph } from './prepared-graph.ts';

/** Rejects a model whose output for a sample text contains NaN or infinity. */
export function checkFiniteOutput({ samples, signature }: PreparedGraph, model: string): void {
  for (const { data } of samples) {
    const index = findNotFinite(data);
    if (index === undefined) continue;
    throw configError(
      `Output \`${signature.output.name}\` of ${model} contains ${data[index]} for a sample text, but results must be finite numbers. ` +
        'Export the model to ONNX again, with float32 instead of float16.',
    );
  }
}
