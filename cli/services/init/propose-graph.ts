import { itemAt } from '#core/values/item-at.ts';
import type { GraphVariant } from '../../packaging/model/graph-variants.ts';

/**
 * Builds can optimize and run any of them. Full precision comes first, then the graph with the
 * smallest loss.
 */
const PREFERRED = ['model', 'safetensors', 'O1', 'O2', 'O3', 'fp16', 'O4', 'quantized', 'int8', 'uint8'];

/** The graph that a build uses without `variant`, or the one to propose. At least one must exist. */
export function proposeGraph(variants: readonly GraphVariant[]): GraphVariant {
  const ranked = PREFERRED.map((name) => variants.find((variant) => variant.name === name));
  return ranked.find((variant) => variant !== undefined) ?? itemAt(variants, 0);
}
