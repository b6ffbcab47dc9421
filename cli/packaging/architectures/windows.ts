import { needsExport } from '../exports/needs-export.ts';
import type { ConfigReader } from './config-reader.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/** Kinds of layers, as named by transformers. */
export const FULL = 'full_attention';
export const SLIDING = 'sliding_attention';

/**
 * Whether a layer only attends to nearby tokens. Newer versions of transformers list the kind of
 * each layer; `otherwise` applies to older configs.
 */
export function isSliding(config: ConfigReader, layer: number, otherwise: boolean): boolean {
  const kinds = config.value('layer_types');
  if (!Array.isArray(kinds)) return otherwise;
  const kind: unknown = kinds[layer];
  if (kind === SLIDING || kind === FULL) return kind === SLIDING;
  const found =
    kind === undefined ? 'does not set `layer_types`' : `sets \`layer_types\` to ${JSON.stringify(kind)}`;
  throw needsExport(`config.json ${found} for layer ${layer}, which cannot be built from safetensors.`);
}

/**
 * A constant attention bias: 0 for pairs of nearby tokens, and a large negative number for other
 * pairs; 1 x 1 x length x length.
 */
export function windowBias(g: EncoderGraph, distance: number): Value {
  const { writer } = g;
  return writer.once(`window of ${distance}`, () => {
    const isFar = writer.op('Greater', [writer.op('Abs', [g.distances]), writer.integer(distance)]);
    // Not the lowest float32, which would overflow to infinity when added to the padding mask.
    const bias = writer.op('Where', [isFar, writer.float(-1e30), writer.float(0)]);
    return writer.op('Unsqueeze', [bias, writer.integers([0, 1])]);
  });
}
