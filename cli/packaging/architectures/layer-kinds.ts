import { needsExport } from '../exports/needs-export.ts';
import type { ConfigReader } from './config-reader.ts';

/** Kinds of layers, as named by transformers. */
export const FULL = 'full_attention';
export const SLIDING = 'sliding_attention';
export const CONVOLUTION = 'conv';

/**
 * The kind of a layer. Newer versions of transformers list the kind of each layer; `otherwise`
 * applies to older configs.
 */
export function layerKind<Kind extends string>(
  config: ConfigReader,
  layer: number,
  supported: readonly Kind[],
  otherwise: Kind,
): Kind {
  const kinds = config.value('layer_types');
  if (!Array.isArray(kinds)) return otherwise;
  const kind: unknown = kinds[layer];
  const found = supported.find((name) => name === kind);
  if (found !== undefined) return found;
  const problem =
    kind === undefined ? 'does not set `layer_types`' : `sets \`layer_types\` to ${JSON.stringify(kind)}`;
  throw needsExport(`config.json ${problem} for layer ${layer}, which cannot be built without an export.`);
}
