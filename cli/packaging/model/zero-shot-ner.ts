import { lookup } from '#core/values/lookup.ts';
import type { EntitySettings } from '#contract/entity-settings.ts';
import { configError } from '#contract/errors.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import { outputSize } from '#core/model/manifest-facts.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { BuildConfig } from '../../config/build-config.ts';
import { findArchitecture, type TextArchitecture } from '../architectures/architectures.ts';
import { type EntityFusion, FUSION_STEPS } from '../architectures/entity-fusion.ts';
import { ENTITY_ENCODER, type EntityGraph, writeEntityLogits } from '../architectures/entity-logits.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { GLINER_CONFIG, glinerExport } from '../exports/gliner.ts';
import { checkEntityInputs, entityInputs } from '../onnx/match-inputs.ts';
import type { BuildType, ReadModel, ReadModelRequest } from './build-type.ts';
import { type EntityEncoder, readEntityEncoder } from './entity-encoders.ts';
import { clue } from './evidence.ts';
import { refuseOtherKinds, ROLES } from './gliner-encoder.ts';
import { type LabelEncoderFiles, readLabelEncoder } from './label-encoder.ts';
import { findIn, type ModelFiles, type SettingsFile } from './locate-files.ts';
import { attentionHeads, type ModelConfig } from './model-config.ts';
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
  const gliner = await readGlinerConfig(modelConfig, files);
  const { settings, encoder, labels, promptTokens } = gliner;
  const stated = tokenizerConfig === undefined ? {} : await readJsonObject<TokenizerConfig>(tokenizerConfig);
  return {
    modelConfig: encoder.limits,
    tokenizer: {
      maxLength: unlimitedLength(gliner, stated),
      // gliner also adds the tokens if a second encoder reads the labels, but not their vectors.
      ...(labels
        ? { unusedTokens: [FLERT, ...promptTokens] }
        : { specialTokens: { tokens: [FLERT, ...promptTokens], required: promptTokens } }),
    },
    withTokenizer({ tokenizer, hasAddedTokens }) {
      const [typeToken] = promptTokens;
      const typeId = tokenizer.idOf(typeToken);
      if (hasAddedTokens) checkTypeToken(gliner, modelConfig, typeId);
      const windows = entityWindows(config, settings);
      const graph = isStoredWeights(weights) ? entityGraph(gliner, modelConfig, typeId) : undefined;
      const labelJson = labels?.tokenizer.json;
      return {
        // Only called for stored weights.
        write: (...parts) => {
          if (!graph) throw new Error('the model has a graph');
          return writeEntityLogits(graph)(...parts);
        },
        encoder: { config: encoder.config, prefix: ENTITY_ENCODER },
        rules: {
          otherInputs: entityInputs(settings),
          hasAddedTokens,
          labelVocabulary: labels?.tokenizer.settings.vocabularySize,
          checkInputs: (inputs, fixedShape) => checkEntityInputs(inputs, settings, fixedShape, weights),
          tryOut: (...trial) => tryEntityGraph({ settings, windows, labelJson }, ...trial),
          size: outputSize({ width: 0, entities: settings }),
        },
        withGraph: () => ({
          windows: () => windows,
          labelTokenizer: labelJson,
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
  readonly settings: EntitySettings;
  readonly encoder: EntityEncoder;
  /** The second encoder; undefined if the labels are a prompt before the text. */
  readonly labels: LabelEncoderFiles | undefined;
  /** The token before each entity type, and that between the types and the text. */
  readonly promptTokens: readonly [typeToken: string, separatorToken: string];
}

type Fields = Readonly<Record<string, unknown>>;

/** Reads the settings of a GLiNER model. Models of other kinds with the same file are rejected. */
async function readGlinerConfig(path: string, files: ModelFiles): Promise<GlinerConfig> {
  const fields = await readJsonObject<Fields>(path);
  refuseOtherKinds(fields, path);
  const labels = await readLabelEncoder(fields, path, files);
  const typeToken = text(fields, 'ent_token', '<<ENT>>', path);
  const separatorToken = text(fields, 'sep_token', '<<SEP>>', path);
  return {
    fields,
    encoder: readEntityEncoder(fields['encoder_config'], files.tokenizerFolder, fields['model_name']),
    labels,
    promptTokens: [typeToken, separatorToken],
    settings: {
      level: fields['span_mode'] === 'token_level' ? 'word' : 'span',
      maxWords: count(fields, 'max_len', 384, path),
      maxWidth: count(fields, 'max_width', 12, path),
      tokensOfWord: tokensOfWord(fields, path),
      ...(labels ? { labelTokenizer: labels.tokenizer.settings } : { typeToken, separatorToken }),
    },
  };
}

/** Rejects a tokenizer in which the token before each entity type has another id than in training. */
function checkTypeToken(
  { fields, promptTokens: [typeToken] }: GlinerConfig,
  path: string,
  id: number | undefined,
): void {
  const { class_token_index: stated } = fields;
  if (!isCount(stated) || stated === id) return;
  throw configError(
    `${path}: \`class_token_index\` is ${stated}, but with the tokens that gliner adds, the tokenizer has ${typeToken} as token ${id}. Copy the tokenizer files with which the model was trained to the folder of the model.`,
  );
}

/** How the graph of a model is written from its weights. Settings that would change it are rejected. */
function entityGraph(
  { fields, encoder, settings, labels }: GlinerConfig,
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
  const architectureOf = (
    { config: { model_type: family } }: EntityEncoder,
    key: string,
  ): TextArchitecture => {
    const found = typeof family === 'string' ? findArchitecture(family) : undefined;
    if (found?.input === 'tokens') return found;
    const named = family === undefined ? fields[key] : family;
    throw refused(`has the encoder ${JSON.stringify(named ?? null)}`);
  };
  architectureOf(encoder, ROLES.text.key);
  // Models without a second encoder do not use these layers.
  const { fusion, problem } = labels ? readFusion(fields, encoder.config) : {};
  if (problem !== undefined) throw refused(problem);
  const stated = fields['class_token_index'];
  const id = (isCount(stated) ? stated : typeId) ?? -1;
  return {
    level: settings.level,
    maxWidth: settings.maxWidth,
    types: labels
      ? { architecture: architectureOf(labels, ROLES.labels.key), config: labels.config }
      : { id, isRepresentative: fields['embed_ent_token'] !== false },
    fusion,
    isMean: fields['subtoken_pooling'] === 'mean',
  };
}

/** Reads the layers in which words and labels attend to each other, or returns why they are not supported. */
function readFusion(
  fields: Fields,
  config: ModelConfig,
): { readonly fusion?: EntityFusion; readonly problem?: string } {
  const { post_fusion_schema: schema, num_post_fusion_layers: layers = 1, hidden_size: width = 512 } = fields;
  if (schema === undefined || schema === null || schema === '') return {};
  const problem = `sets \`post_fusion_schema\` to ${JSON.stringify(schema)}`;
  const names = typeof schema === 'string' ? schema.split('-') : [];
  const steps = names.flatMap((name) => FUSION_STEPS.find((known) => known === name) ?? []);
  if (steps.length === 0 || steps.length !== names.length) return { problem };
  const heads = attentionHeads(config);
  if (
    heads === undefined ||
    !isCount(layers) ||
    layers > MAX_FUSION_LAYERS ||
    !isCount(width) ||
    width % heads !== 0
  )
    return {
      problem: `${problem} without valid \`num_post_fusion_layers\`, \`hidden_size\` and attention heads`,
    };
  return { fusion: { steps, layers, heads } };
}

/** Protects the build from a graph that a number in a file makes too large. */
const MAX_FUSION_LAYERS = 64;

/** The settings that a graph can be written for. */
const USUAL_SETTINGS: readonly (readonly [key: string, values: readonly unknown[]])[] = [
  ['span_mode', ['markerV0', 'token_level']],
  ['subtoken_pooling', ['first', 'last', 'mean']],
  ['fuse_layers', [false]],
  ['represent_spans', [false]],
  ['span_encoder_config', []],
];

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
  { encoder: { readsAnyLength }, settings }: GlinerConfig,
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
