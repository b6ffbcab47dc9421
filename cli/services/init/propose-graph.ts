import { itemAt } from '#core/values/item-at.ts';
import type { GraphVariant } from '../../packaging/model/graph-variants.ts';

/**
 * Variants to propose, in order of preference: full precision first, then those with the smallest
 * loss. Builds can optimize and run all of them.
 */
const PREFERRED = ['model', 'safetensors', 'O1', 'O2', 'O3', 'fp16', 'O4', 'quantized', 'int8', 'uint8'];

/**
 * Returns the graph that a build uses if `variant` is not set. If the build would reject the
 * choice, returns the graph to propose. At least one graph must exist.
 */
export function proposeGraph(variants: readonly GraphVariant[]): GraphVariant {
  const ranked = PREFERRED.map((name) => variants.find((variant) => variant.name === name));
  return ranked.find((variant) => variant !== undefined) ?? itemAt(variants, 0);
}
