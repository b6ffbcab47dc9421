import { join } from 'node:path';
import { lookup } from '#core/values/lookup.ts';
import type { EntitySettings } from '#contract/entity-settings.ts';
import { configError } from '#contract/errors.ts';
import { WORD_INPUT_NAMES, type WindowSettings } from '#contract/manifest.ts';
import { outputSize } from '#core/model/manifest-facts.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { isMapping } from '#core/yaml/describe.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import { canWriteGraph } from '../architectures/architectures.ts';
import { ENTITY_ENCODER, type EntityGraph, writeEntityLogits } from '../architectures/entity-logits.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { GLINER_CONFIG, glinerExport } from '../exports/gliner.ts';
import { checkWordInputs } from '../onnx/match-inputs.ts';
import type { BuildType, ReadModel, ReadModelRequest } from './build-type.ts';
import { clue } from './evidence.ts';
import { refuseOtherKinds } from './gliner-encoder.ts';
import { findIn, type SettingsFile } from './locate-files.ts';
import type { ModelConfig } from './model-config.ts';
import { jsonIn } from './model-listing.ts';
import { readJsonObject } from './read-json.ts';
import type { TokenizerConfig } from './tokenizer-settings.ts';
import { tryEntityGraph } from './try-entity-graph.ts';

const SETTINGS_FILE: SettingsFile = {
  name: GLINER_CONFIG,
  missing: (path) =>
    configError(
      `Could not locate model config at path ${path}. ` +
        "model_type zero_shot_ner requires it: copy it from the model, or export the model with the gliner package's `export_to_onnx`.",
    ),
};

/** A model of the gliner package, which finds entities of the types in a request. */
export const zeroShotNerBuild: BuildType<'zero_shot_ner'> = {
  guess: ({ folder }) => clue('file', findIn(folder, GLINER_CONFIG) !== undefined, `it has ${GLINER_CONFIG}`),
  settingsFile: SETTINGS_FILE,
  inferOptions: '--labels person,place',
  read,
};

async function read({ config, files }: ReadModelRequest): Promise<ReadModel<'zero_shot_ner'>> {
  const { tokenizerConfig, modelConfig = '', weights } = files;
  const gliner = await readGlinerConfig(modelConfig, files.tokenizerFolder);
  const { settings } = gliner;
  const stated = tokenizerConfig === undefined ? {} : await readJsonObject<TokenizerConfig>(tokenizerConfig);
  return {
    modelConfig: gliner.encoder,
    tokenizer: {
      maxLength: unlimitedLength(gliner, stated),
      specialTokens: {
        tokens: [FLERT, settings.typeToken, settings.separatorToken],
        required: [settings.typeToken, settings.separatorToken],
      },
    },
    withTokenizer({ tokenizer, hasAddedTokens }) {
      if (hasAddedTokens) checkTypeToken(gliner, modelConfig, tokenizer.idOf(settings.typeToken));
      const windows = entityWindows(config, settings);
      const graph = isStoredWeights(weights)
        ? entityGraph(gliner, modelConfig, tokenizer.idOf(settings.typeToken))
        : undefined;
      return {
        // Only called for stored weights.
        write: (...parts) => {
          if (!graph) throw new Error('the model has a graph');
          return writeEntityLogits(graph)(...parts);
        },
        encoder: { config: gliner.encoderConfig, prefix: ENTITY_ENCODER },
        rules: {
          otherInputs: WORD_INPUT_NAMES,
          hasAddedTokens,
          checkInputs: (inputs, fixedShape) => checkWordInputs(inputs, settings, fixedShape, weights),
          tryOut: (...trial) => tryEntityGraph({ settings, windows }, ...trial),
          size: outputSize({ width: 0, entities: settings }),
        },
        withGraph: () => ({
          windows: () => windows,
          facts: () => ({ modelType: 'zero_shot_ner', entities: settings }),
        }),
      };
    },
  };
}

/** The first token that the gliner package adds to the tokenizer of an encoder. No text contains it. */
const FLERT = '[FLERT]';

interface GlinerConfig {
  /** All members of the file. */
  readonly fields: Fields;
  /** The encoder's settings, as the file states them. */
  readonly encoderConfig: Fields;
  readonly settings: EntitySettings;
  /** The encoder's settings, in the form of its config.json. */
  readonly encoder: ModelConfig;
  /** Whether the encoder can read any number of tokens, because it has no position table. */
  readonly readsAnyLength: boolean;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Reads the settings of a GLiNER model. Models of other kinds with the same file are rejected.
 * `encoderFolder` contains the settings of the encoder if its tokenizer is used.
 */
async function readGlinerConfig(path: string, encoderFolder: string | undefined): Promise<GlinerConfig> {
  const fields = await readJsonObject<Fields>(path);
  refuseOtherKinds(fields, path);
  const { encoder_config: stated } = fields;
  const encoder: ModelConfig & Fields =
    [stated, encoderFolder && jsonIn(join(encoderFolder, 'config.json'))].find((one) => isMapping(one)) ??
    knownEncoder(fields['model_name']);
  const readsAnyLength = isRelative(encoder, fields['model_name']);
  const { max_position_embeddings: _, ...withoutPositions } = encoder;
  return {
    fields,
    encoderConfig: encoder,
    settings: {
      level: fields['span_mode'] === 'token_level' ? 'word' : 'span',
      maxWords: count(fields, 'max_len', 384, path),
      maxWidth: count(fields, 'max_width', 12, path),
      typeToken: text(fields, 'ent_token', '<<ENT>>', path),
      separatorToken: text(fields, 'sep_token', '<<SEP>>', path),
      tokensOfWord: tokensOfWord(fields, path),
    },
    encoder: readsAnyLength ? withoutPositions : encoder,
    readsAnyLength,
  };
}

/** Rejects a tokenizer in which the token before each entity type has another id than in training. */
function checkTypeToken({ fields, settings }: GlinerConfig, path: string, id: number | undefined): void {
  const { class_token_index: stated } = fields;
  if (!isCount(stated) || stated === id) return;
  throw configError(
    `${path}: \`class_token_index\` is ${stated}, but with the tokens that gliner adds, the tokenizer has ${settings.typeToken} as token ${id}. Copy the tokenizer files with which the model was trained to the folder of the model.`,
  );
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

/** How the graph of a model is written from its weights. Settings that would change it are rejected. */
function entityGraph(
  { fields, encoderConfig, settings }: GlinerConfig,
  path: string,
  typeId: number | undefined,
): EntityGraph {
  const refused = (problem: string): Error =>
    configError(
      `${path} ${problem}, which is not supported without an export. Export the model: \`pip install gliner\`, then \`${glinerExport('FOLDER')}\`, then \`encoderfile build ./exported\`.`,
    );
  for (const [key, usual] of USUAL_SETTINGS) {
    const value = fields[key];
    if (value === undefined || value === null || usual.includes(value)) continue;
    throw refused(`sets \`${key}\` to ${JSON.stringify(value)}`);
  }
  const { model_type: family } = encoderConfig;
  if (typeof family !== 'string' || !canWriteGraph(family)) {
    const named = family === undefined ? fields['model_name'] : family;
    throw refused(`has the encoder ${JSON.stringify(named ?? null)}`);
  }
  const stated = fields['class_token_index'];
  const id = isCount(stated) ? stated : typeId;
  return {
    level: settings.level,
    maxWidth: settings.maxWidth,
    typeId: id ?? -1,
    isTypeToken: fields['embed_ent_token'] !== false,
    isMean: fields['subtoken_pooling'] === 'mean',
  };
}

/** The settings that a graph can be written for. */
const USUAL_SETTINGS: readonly (readonly [key: string, values: readonly unknown[]])[] = [
  ['span_mode', ['markerV0', 'token_level']],
  ['subtoken_pooling', ['first', 'last', 'mean']],
  ['fuse_layers', [false]],
  ['post_fusion_schema', ['']],
  ['represent_spans', [false]],
];

/** DeBERTa-v3 and T5 only use relative positions. Older files name the encoder, but do not describe it. */
function isRelative(encoder: Fields, name: unknown): boolean {
  const { model_type: family = '' } = encoder;
  if (family === 'deberta-v2') return encoder['position_biased_input'] === false;
  return family === '' ? /deberta-v3/.test(String(name)) : /^(?:m|um)?t5$/.test(String(family));
}

const TOKENS_OF_WORD = lookup<EntitySettings['tokensOfWord']>({
  first: 'first',
  last: 'last',
  mean: 'all',
  max: 'all',
});

function tokensOfWord(fields: Fields, path: string): EntitySettings['tokensOfWord'] {
  const mode = text(fields, 'subtoken_pooling', 'first', path);
  const found = TOKENS_OF_WORD[mode];
  if (found) return found;
  throw invalid(fields, 'subtoken_pooling', `one of ${Object.keys(TOKENS_OF_WORD).join(', ')}`, path);
}

function count(fields: Fields, key: string, missing: number, path: string): number {
  const value = fields[key] ?? missing;
  if (typeof value === 'number' && Number.isSafeInteger(value) && value > 0) return value;
  throw invalid(fields, key, 'a whole number of at least 1', path);
}

function text(fields: Fields, key: string, missing: string, path: string): string {
  const value = fields[key] ?? missing;
  if (typeof value === 'string' && value !== '') return value;
  throw invalid(fields, key, 'a text', path);
}

const invalid = (fields: Fields, key: string, rule: string, path: string): Error =>
  configError(
    `${path}: \`${key}\` is ${JSON.stringify(fields[key])}, but must be ${rule}. Use the file that belongs to the model.`,
  );

/** Reserved for entity types, and for twice as many tokens as the words of a window have on average. */
const MIN_TOKENS = 512;
const TOKENS_PER_WORD = 4;

/** The maximum number of tokens if neither the tokenizer nor the encoder limits it. */
function unlimitedLength(
  { readsAnyLength, settings }: GlinerConfig,
  { model_max_length: stated }: TokenizerConfig,
): number | undefined {
  const isLimited = typeof stated === 'number' && Number.isSafeInteger(stated);
  return readsAnyLength && !isLimited ? Math.max(MIN_TOKENS, settings.maxWords * TOKENS_PER_WORD) : undefined;
}

/**
 * Determines the windows of texts with more words than the model reads. By default, windows overlap
 * by twice the maximum number of words in an entity, so that one of them contains each entity
 * whole.
 */
function entityWindows(
  { windows }: Pick<BuildConfig, 'windows'>,
  { maxWords, maxWidth }: EntitySettings,
): WindowSettings {
  const usual = Math.max(Math.floor(maxWords / DEFAULT_PARTS), maxWidth * 2);
  const stride = windows?.stride ?? Math.min(usual, maxWords - 1);
  if (stride < maxWords) return { stride };
  throw configError(
    `\`stride\` is ${stride}, but must be at most ${maxWords - 1}: windows have ${maxWords} words. Decrease \`stride\`.`,
  );
}

const DEFAULT_PARTS = 8;
