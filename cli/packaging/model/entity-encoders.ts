import { join } from 'node:path';
import { lookup } from '#core/values/lookup.ts';
import { isMapping } from '#core/yaml/describe.ts';
import type { ModelConfig } from './model-config.ts';
import { jsonIn } from './model-listing.ts';

type Fields = Readonly<Record<string, unknown>>;

/** An encoder of a GLiNER model. */
export interface EntityEncoder {
  /** Its settings in the form of config.json, as a file states them. */
  readonly config: Fields;
  /** The settings without limits that the encoder does not have. */
  readonly limits: ModelConfig;
  /** Whether it can read any number of tokens, because it has no position table. */
  readonly readsAnyLength: boolean;
}

/**
 * Reads the settings of an encoder: those in gliner_config.json (`stated`), or the config.json of its own
 * repository in `folder`, or those of an encoder that is known by its name.
 */
export function readEntityEncoder(stated: unknown, folder: string | undefined, name: unknown): EntityEncoder {
  const config: ModelConfig & Fields =
    [stated, folder && jsonIn(join(folder, 'config.json'))].find((one) => isMapping(one)) ??
    knownEncoder(name);
  const readsAnyLength = isRelative(config, name);
  const { max_position_embeddings: _, ...withoutPositions } = config;
  return { config, limits: readsAnyLength ? withoutPositions : config, readsAnyLength };
}

/**
 * The encoder of files that only name it. All models of this family have the same settings, except
 * for the sizes, which the names state.
 */
function knownEncoder(name: unknown): Fields {
  const [, multilingual, size = ''] = /(m?)deberta-v3-(xsmall|small|base|large)$/.exec(String(name)) ?? [];
  const sizes = multilingual === undefined ? undefined : DEBERTA_V3_SIZES[size];
  return sizes ? { ...DEBERTA_V3, ...sizes } : {};
}

const DEBERTA_V3 = {
  model_type: 'deberta-v2',
  hidden_act: 'gelu',
  layer_norm_eps: 1e-7,
  max_position_embeddings: 512,
  max_relative_positions: -1,
  norm_rel_ebd: 'layer_norm',
  pos_att_type: ['p2c', 'c2p'],
  position_biased_input: false,
  position_buckets: 256,
  relative_attention: true,
  share_att_key: true,
  type_vocab_size: 0,
};

const DEBERTA_V3_SIZES = lookup<Fields>({
  xsmall: { hidden_size: 384, num_attention_heads: 6, num_hidden_layers: 12 },
  small: { hidden_size: 768, num_attention_heads: 12, num_hidden_layers: 6 },
  base: { hidden_size: 768, num_attention_heads: 12, num_hidden_layers: 12 },
  large: { hidden_size: 1024, num_attention_heads: 16, num_hidden_layers: 24 },
});

/** DeBERTa-v3 and T5 only use relative positions. Older files name the encoder, but do not describe it. */
function isRelative(encoder: Fields, name: unknown): boolean {
  const { model_type: family = '' } = encoder;
  if (family === 'deberta-v2') return encoder['position_biased_input'] === false;
  return family === '' ? /deberta-v3/.test(String(name)) : /^(?:m|um)?t5$/.test(String(family));
}
