import { configError } from '../../../runtime/contract/errors.ts';
import { findNotFinite } from '../../../runtime/core/finite.ts';
import type { PreparedGraph } from './prepare-graph.ts';

/** Refuses a model whose output for a sample text has numbers that no result can carry. */
export function checkFiniteOutput({ samples, signature }: PreparedGraph, model: string): void {
  for (const { data } of samples) {
    const index = findNotFinite(data);
    if (index === undefined) continue;
    throw configError(
      `\`${signature.output.name}\` of ${model} contains ${data[index]} for a sample text, and results must be finite numbers. ` +
        'Export the model to ONNX again, in float32 if it is float16.',
    );
  }
}
