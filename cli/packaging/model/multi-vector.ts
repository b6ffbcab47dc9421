import { configError } from '#contract/errors.ts';
import type { InputName } from '#contract/manifest.ts';
import {
  type MultiVectorSettings,
  TEXT_ROLES,
  type TextRole,
  type TextRules,
} from '#contract/multi-vector.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { isCount } from '#core/numbers/is-count.ts';
import type { GraphProto } from '#gen/onnx/v1/onnx_pb.ts';
import type { TypeFields } from '#contract/config-schema.ts';
import { isStoredWeights } from '../architectures/weight-files.ts';
import { writeHiddenStates } from '../architectures/write-graph.ts';
import {
  appendProjection,
  HIDDEN_STATES,
  isProjected,
  type ProjectionLayer,
} from '../onnx/append-projection.ts';
import type { BuildType, ReadModel, ReadModelRequest } from './build-type.ts';
import { compareTokenVectors } from './compare.ts';
import { clue } from './evidence.ts';
import { type ModelConfig, readModelConfig } from './model-config.ts';
import {
  findColbertFile,
  type MultiVectorDefaults,
  readMultiVectorDefaults,
  readProjection,
} from './multi-vector-files.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import { readJsonObject } from './read-json.ts';
import { type TokenizerConfig, tokenText } from './tokenizer-settings.ts';

/** A model of the ColBERT family, which returns a vector for each token of a query or a document. */
export const multiVectorBuild: BuildType<'multi_vector'> = {
  async guess({ folder, architectures }) {
    const file = await findColbertFile(folder);
    return [
      ...clue('file', file !== undefined, `${file} belongs to a ColBERT model`),
      ...clue('file', architectures.includes(STANFORD_COLBERT), `config.json names ${STANFORD_COLBERT}`),
    ];
  },
  inferOptions: '--input-type query',
  read,
};

const STANFORD_COLBERT = 'HF_ColBERT';

async function read({ config, files }: ReadModelRequest): Promise<ReadModel<'multi_vector'>> {
  const { file, typeFields, output } = config;
  const modelConfig = await readModelConfig(files);
  const source: MultiVectorSource = {
    file,
    config: settingsIn(typeFields),
    defaults: await readMultiVectorDefaults(files),
    fillers: await fillerTokens(files.tokenizerConfig),
  };
  return {
    modelConfig,
    // Queries and documents have their own maximum lengths, so the model does not have to support
    // longer texts.
    tokenizer: { limit: (possible) => longestText(source, possible) },
    async withTokenizer(tokenizer) {
      const projection = await readProjection(files);
      return {
        write: writeHiddenStates,
        rules: {
          extend: ({ graph }) => ({ changes: projectVectors(graph, projection, output, files.weights) }),
        },
        async withGraph({ width, maxLength, signature: { inputs } }) {
          const settings = await multiVectorSettings(source, tokenizer, { maxLength, inputs });
          checkExpansion(settings, modelConfig, files.weights);
          return {
            compare: compareTokenVectors(width),
            facts: () => ({ modelType: 'multi_vector', multiVector: settings }),
          };
        },
      };
    },
  };
}

/**
 * Settings in the config file for the tokenization of queries and documents. Missing settings come
 * from the model's own files.
 */
interface MultiVectorConfig {
  /** The token that is inserted after the first token; empty for no token. */
  readonly prefixes: Readonly<Record<TextRole, string | undefined>>;
  /** Maximum number of tokens. */
  readonly lengths: Readonly<Record<TextRole, number | undefined>>;
  readonly expandsQueries: boolean | undefined;
  readonly attendsToExpansion: boolean | undefined;
  readonly skippedTokens: readonly string[] | undefined;
  readonly normalize: boolean | undefined;
}

const settingsIn = (fields: TypeFields): MultiVectorConfig => ({
  prefixes: { query: fields.query_prefix, document: fields.document_prefix },
  lengths: { query: fields.query_length, document: fields.document_length },
  expandsQueries: fields.do_query_expansion,
  attendsToExpansion: fields.attend_to_expansion_tokens,
  skippedTokens: fields.skiplist_words,
  normalize: fields.normalize,
});

/** The facts about a multi_vector model before its graph is read. */
interface MultiVectorSource {
  /** The config file, for messages. */
  readonly file: string;
  readonly config: MultiVectorConfig;
  readonly defaults: MultiVectorDefaults;
  /** Tokens that can be used to fill queries, in order of preference. */
  readonly fillers: readonly string[];
}

/** The maximum number of tokens that the settings allow. The model does not have to support more. */
const longestText = (source: MultiVectorSource, possible: number): number =>
  greatest(TEXT_ROLES.map((role) => lengthOf(source, role, possible)));

/**
 * Combines the config file with the model's own files. `possible` is the maximum number of tokens
 * that the model can run.
 */
async function multiVectorSettings(
  source: MultiVectorSource,
  prepared: PreparedTokenizer,
  { maxLength: possible, inputs }: { readonly maxLength: number; readonly inputs: readonly InputName[] },
): Promise<MultiVectorSettings> {
  const { config } = source;
  const rules = (role: TextRole): TextRules => {
    const marker = markerOf(source, prepared, role);
    return { ...(marker ? { marker } : {}), maxLength: lengthOf(source, role, possible) };
  };
  const expansion = expansionOf(source, prepared, inputs);
  const skipped = await skippedIds(source, prepared);
  return {
    query: { ...rules('query'), ...(expansion ? { expansion } : {}) },
    document: { ...rules('document'), ...(skipped.length > 0 ? { skipped } : {}) },
    normalize: config.normalize ?? true,
  };
}

function lengthOf({ config, defaults, file }: MultiVectorSource, role: TextRole, possible: number): number {
  const chosen = config.lengths[role];
  if (chosen === undefined) return Math.min(defaults.lengths[role], possible);
  if (chosen <= possible) return chosen;
  throw configError(
    `${file}: \`${role}_length\` is ${chosen}, but the model supports at most ${possible} tokens. Set it to ${possible} or less.`,
  );
}

function markerOf(
  { config, defaults, file }: MultiVectorSource,
  { tokenizer }: PreparedTokenizer,
  role: TextRole,
): TextRules['marker'] {
  const token = config.prefixes[role] ?? defaults.prefixes[role];
  if (token === '') return undefined;
  const id = tokenizer.idOf(token);
  if (id !== undefined) return { id, token };
  throw configError(
    `${file}: \`${role}_prefix\` is ${JSON.stringify(token)}, but the tokenizer has no such token. Set it to the token that marks a ${role}, or to "" for none.`,
  );
}

function expansionOf(
  { config, defaults, fillers, file }: MultiVectorSource,
  { tokenizer }: PreparedTokenizer,
  inputs: readonly InputName[],
): TextRules['expansion'] {
  if (!(config.expandsQueries ?? defaults.expandsQueries)) return undefined;
  const isAttended = config.attendsToExpansion ?? defaults.attendsToExpansion;
  if (!isAttended && !inputs.includes('attention_mask')) {
    throw configError(
      `${file}: queries are padded with tokens that are excluded from attention, but the graph has no attention_mask input. Set \`do_query_expansion: false\` or \`attend_to_expansion_tokens: true\`, whichever the model was trained with.`,
    );
  }
  for (const token of fillers) {
    const id = tokenizer.idOf(token);
    if (id !== undefined) return { id, token, isAttended };
  }
  throw configError(
    `${file}: queries are padded with the mask token, but the tokenizer has no mask token. Set \`do_query_expansion: false\`, or add \`mask_token\` to tokenizer_config.json.`,
  );
}

/** Both PyLate and colbert-ai use the unknown token for words that are not in the vocabulary. */
async function skippedIds(
  { config, defaults }: MultiVectorSource,
  { tokenizer, settings }: PreparedTokenizer,
): Promise<number[]> {
  const { skipped } = defaults;
  const ofTokens = (tokens: readonly string[]): number[] =>
    tokens.flatMap((token) => tokenizer.idOf(token) ?? settings.unknown?.id ?? []);
  const found =
    config.skippedTokens !== undefined
      ? ofTokens(config.skippedTokens)
      : skipped.kind === 'tokens'
        ? ofTokens(skipped.tokens)
        : await firstTokens(tokenizer, skipped.texts);
  return [...new Set(found)].sort((a, b) => a - b);
}

/** Returns the first token of each text, not counting special tokens that the tokenizer puts before texts. */
async function firstTokens(
  tokenizer: PreparedTokenizer['tokenizer'],
  texts: readonly string[],
): Promise<number[]> {
  const [empty = [], ...encoded] = await tokenizer.encode(['', ...texts]);
  const start = encoded.every(([first]) => first === empty[0]) ? Math.min(1, empty.length) : 0;
  return encoded.flatMap((ids) => ids[start] ?? []);
}

/** Mask tokens to try if a tokenizer's settings do not name one. */
const USUAL_MASKS = ['[MASK]', '<mask>'];

/**
 * Returns the tokens that can fill queries: the mask token, then the end-of-text token for models
 * without a mask token, as in PyLate.
 */
async function fillerTokens(tokenizerConfig: string | undefined): Promise<string[]> {
  const config = tokenizerConfig === undefined ? {} : await readJsonObject<TokenizerConfig>(tokenizerConfig);
  const [mask, end] = [tokenText(config.mask_token), tokenText(config.eos_token)];
  return [...(mask === undefined ? USUAL_MASKS : [mask]), ...(end === undefined ? [] : [end])];
}

/**
 * Adds a multi_vector model's projection to a graph that returns hidden states. Returns
 * descriptions of the changes.
 */
function projectVectors(
  graph: GraphProto,
  projection: readonly ProjectionLayer[],
  chosen: string | undefined,
  file: string,
): string[] {
  const [output] = graph.output;
  if (!output) return [];
  if (projection.length > 0) {
    if (isProjected(output, projection)) return [];
    appendProjection(graph, projection);
    return [`Projected vectors to ${projection.at(-1)?.outputs} dimensions`];
  }
  if (chosen !== undefined || !HIDDEN_STATES.has(output.name)) return [];
  throw configError(
    `${file} returns \`${output.name}\`, but the model has no projection: neither a Dense module in modules.json nor linear.weight. Add the missing model files, or set \`output: ${output.name}\` if this output contains the final vectors.`,
  );
}

/**
 * Rejects a graph that the build wrote if, for a token that fills a query, attention to all tokens
 * could be masked. Results for such tokens differ between implementations. In other models, this
 * only affects padding, whose results are not used.
 */
function checkExpansion(
  { query }: MultiVectorSettings,
  config: ModelConfig & { readonly local_attention?: unknown; readonly sliding_window?: unknown },
  weights: string,
): void {
  if (!isStoredWeights(weights) || !query.expansion || query.expansion.isAttended) return;
  const { model_type: architecture, local_attention, sliding_window: sliding } = config;
  const window = local_attention ?? sliding;
  const isTooNear = isCount(window) && window > 0 && query.maxLength > window / 2;
  if (!isTooNear && architecture !== 'deberta' && architecture !== 'deberta-v2') return;
  const reason = isTooNear
    ? `layers with local attention cover ${window / 2} tokens on each side, but queries have up to ${query.maxLength}`
    : 'tokens excluded from attention in this architecture cannot attend to other tokens';
  throw configError(
    `The graph of this model cannot be written: ${reason}. Export the model to ONNX, or set \`query_length\`, \`attend_to_expansion_tokens\` or \`do_query_expansion\` if the model was trained with other values.`,
  );
}
