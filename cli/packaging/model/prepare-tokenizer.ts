import { frameLengths, frameTexts, type TextFrame } from '../tokenizer/frame-texts.ts';
import { configError, messageOf } from '#contract/errors.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../adapters/tokenizers.ts';
import {
  withBertSettings,
  withEndToken,
  withLowerCase,
  type TokenizerConfig,
  tokenizerSettings,
  type SourceTokenizer,
} from './tokenizer-settings.ts';
import type { ModelConfig } from './model-config.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJsonObject } from './read-json.ts';
import { withoutSpecialTokens } from '#core/model/bare-tokenizer.ts';
import { isMapping } from '#core/yaml/describe.ts';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { firstInvalidLine } from '#platform/utf8-line.ts';
import { withoutAddedTokens, withSpecialTokens } from '../tokenizer/add-special-tokens.ts';
import { chooseFamily } from '../tokenizer/choose-family.ts';
import { convertTokenizer, type Vocabulary } from '../tokenizer/convert.ts';
import type { Family } from '../tokenizer/family.ts';
import { VOCABULARY_FILES, vocabularyKind } from '../tokenizer/vocabulary-kind.ts';
import type { TokenizerOptions } from '#contract/tokenizer-options.ts';

export interface PreparedTokenizer {
  readonly tokenizer: LoadedTokenizer;
  readonly settings: TokenizerSettings;
  /** tokenizer.json without whitespace, which is a third smaller and loads faster. */
  readonly json: string;
  /** Names of the files that the tokenizer was read from, for messages. */
  readonly origin: string;
  /** Whether the build added tokens that the files do not contain. */
  readonly hasAddedTokens: boolean;
}

/** Tokenizer settings from other files of the model. */
export interface TokenizerDefaults {
  /** Maximum number of tokens per text. */
  readonly maxLength?: number | undefined;
  readonly lowerCase?: boolean;
  /** Maximum number of tokens if no file states it. Default: 512. */
  readonly usualLength?: number;
  /** Special tokens to add if the tokenizer lacks one of the `required` ones. */
  readonly specialTokens?: { readonly tokens: readonly string[]; readonly required: readonly string[] };
  /** Added tokens that the model does not read, and for which it has no vectors. */
  readonly unusedTokens?: readonly string[];
  /** Whether texts get the model's special tokens. Default: true. */
  readonly addsSpecialTokens?: boolean;
  /** A prompt around all texts, instead of the model's special tokens. */
  readonly frame?: TextFrame;
  /** Returns the maximum number of characters per text, for the maximum number of tokens. */
  readonly limitCharacters?: (maxLength: number, tokens: readonly string[]) => number | undefined;
  /**
   * Returns the maximum number of tokens that the model needs, out of the `possible` ones.
   * `isChosen` states whether the config sets `possible`.
   */
  readonly limit?: (possible: number, isChosen: boolean) => number;
}

interface TokenizerOverrides extends TokenizerDefaults {
  /** `max_length` in the config file. */
  readonly chosenLength?: number | undefined;
  /** `tokenizer.truncation_side` in the config file. */
  readonly truncationSide?: 'left' | 'right' | undefined;
}

/** Loads the tokenizer as the executable will, and determines truncation and padding. */
export async function prepareTokenizer(
  files: Pick<ModelFiles, 'tokenizer' | 'tokenizerConfig'>,
  modelConfig: ModelConfig,
  {
    maxLength,
    chosenLength,
    truncationSide,
    lowerCase,
    usualLength,
    specialTokens,
    unusedTokens = [],
    addsSpecialTokens = true,
    frame,
    limitCharacters,
    limit = (possible) => possible,
  }: TokenizerOverrides = {},
): Promise<PreparedTokenizer> {
  const stated = files.tokenizerConfig ? await readJsonObject<TokenizerConfig>(files.tokenizerConfig) : {};
  const read = await readTokenizer(files.tokenizer, stated, modelConfig);
  const { content, origin, padToken } = read;
  const written = withoutAddedTokens(content, unusedTokens);
  const config = padToken === undefined ? stated : { ...stated, pad_token: padToken };
  const completed = specialTokens ? withSpecialTokens(written, specialTokens) : written;
  const complete = withBertSettings(completed, config, modelConfig);
  const added = addsSpecialTokens && !frame ? complete : withoutSpecialTokens(complete);
  const lowered = lowerCase ? withLowerCase(added) : added;
  const plain = await load(files.tokenizer, JSON.stringify(lowered));
  const framed = frame && (await frameTexts(lowered, frame, plain));
  const final = framed?.content ?? withEndToken(lowered, config, plain.idOf);
  const json = JSON.stringify(final);
  const tokenizer = final === lowered ? plain : await load(files.tokenizer, json);
  await checkVocabulary(tokenizer, final, origin);
  const wished = chosenLength ?? maxLength;
  const limited = wished === undefined ? config : { ...config, model_max_length: wished };
  const settings = tokenizerSettings(limited, complete, modelConfig, tokenizer.idOf, usualLength);
  refuseLonger(chosenLength, settings.maxLength);
  const maxCharacters = limitCharacters?.(settings.maxLength, tokenizer.tokens());
  const isChosen = chosenLength !== undefined;
  const longest = limit(chosenLength ?? settings.maxLength, isChosen);
  return {
    tokenizer,
    settings: {
      ...settings,
      ...(frame && framed ? frameLengths(frame, framed.counts, longest, isChosen) : { maxLength: longest }),
      ...(truncationSide ? { truncationSide } : {}),
      ...(maxCharacters === undefined ? {} : { maxCharacters }),
      vocabularySize: tokenizer.vocabularySize,
    },
    json,
    origin,
    hasAddedTokens: completed !== written,
  };
}

function refuseLonger(chosen: number | undefined, possible: number): void {
  if (chosen === undefined || chosen <= possible) return;
  throw configError(
    `\`max_length\` is ${chosen}, but config.json limits the model to ${possible} tokens. Set \`max_length\` to ${possible} or less.`,
  );
}

async function load(path: string, json: string): Promise<LoadedTokenizer> {
  try {
    return await loadTokenizer(json);
  } catch (error) {
    throw configError(
      `Invalid tokenizer ${path}: ${messageOf(error)}. Save it with the tokenizer's \`save_pretrained\`.`,
      error,
    );
  }
}

/** Number of vocabulary words to try. */
const MAX_WORDS = 200;
/** With fewer words, the result would not be meaningful. */
const MIN_WORDS = 5;
const MAX_UNKNOWN_SHARE = 0.5;

/**
 * Rejects a tokenizer that does not recognize its own words, for example one that lower-cases texts
 * although its vocabulary is in upper case: every text would become a row of unknown tokens.
 * `origin` names the files of the tokenizer.
 */
async function checkVocabulary(
  tokenizer: LoadedTokenizer,
  { model, normalizer }: SourceTokenizer,
  origin: string,
): Promise<void> {
  const fields: unknown = model;
  if (!isMapping(fields) || !WHOLE_WORDS.has(String(fields['type']))) return;
  const { vocab, unk_token: unknown } = fields;
  const unknownId = typeof unknown === 'string' ? tokenizer.idOf(unknown) : undefined;
  if (!isMapping(vocab) || unknownId === undefined) return;
  const words = Object.keys(vocab).filter((word) => /^\p{L}+$/u.test(word));
  if (words.length < MIN_WORDS) return;
  const tried = words.filter((_, at) => at % Math.ceil(words.length / MAX_WORDS) === 0);
  const rows = await tokenizer.encode(tried);
  const share = rows.filter((ids) => ids.includes(unknownId)).length / rows.length;
  if (share < MAX_UNKNOWN_SHARE) return;
  const isLowered = isMapping(normalizer) && normalizer['lowercase'] === true;
  const wayOut =
    isLowered && tried.some((word) => word !== word.toLowerCase())
      ? 'It lowercases texts, but its vocabulary contains uppercase letters. Write `{"do_lower_case": false}` to tokenizer_config.json in the model folder.'
      : "Copy all tokenizer files from the model's source.";
  throw configError(
    `The tokenizer ${origin} maps ${Math.round(share * 100)}% of the words in its own vocabulary to ${String(unknown)}. ${wayOut}`,
  );
}

/** Types of tokenizers that use one unknown token for a whole word. */
const WHOLE_WORDS: ReadonlySet<string> = new Set(['WordPiece', 'WordLevel']);

/** @internal Exported for tests only. */
export interface ReadTokenizer {
  /** Content of tokenizer.json, read or converted. */
  readonly content: SourceTokenizer;
  /** The source of the content, for messages: `tokenizer.json`, or `vocab.txt (BertTokenizer)`. */
  readonly origin: string;
  /**
   * The padding token of a converted tokenizer. The padding token of a tokenizer.json is named in
   * other files.
   */
  readonly padToken?: string | undefined;
}

/** Reads a tokenizer.json, or converts another vocabulary and the files next to it. @internal Exported for tests only. */
export async function readTokenizer(
  path: string,
  tokenizerConfig: TokenizerConfig,
  modelConfig: ModelConfig,
): Promise<ReadTokenizer> {
  if (vocabularyKind(basename(path)) === undefined) {
    return { content: await readJsonObject<SourceTokenizer>(path), origin: basename(path) };
  }
  const folder = dirname(path);
  const family = chooseFamily({ tokenizerConfig, modelConfig });
  const vocabulary = await readVocabulary(family, path);
  const { content, padToken } = convertTokenizer(family, vocabulary, {
    tokenizerConfig: { ...tokenizerConfig },
    specialTokensMap: await optional(join(folder, 'special_tokens_map.json')),
    addedTokens: await optional(join(folder, 'added_tokens.json')),
  });
  return { content, origin: `${basename(vocabulary.path)} (${family.name}Tokenizer)`, padToken };
}

const optional = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  existsSync(path) ? await readJsonObject<Record<string, unknown>>(path) : {};

async function readVocabulary(family: Family, found: string): Promise<Vocabulary> {
  const path = vocabularyPath(family, found);
  if (family.kind === 'sentencepiece') {
    return { kind: family.kind, path, bytes: new Uint8Array(await readFile(path)) };
  }
  if (family.kind === 'wordpiece') return { kind: family.kind, path, text: await readText(path) };
  const mergesPath = join(dirname(path), basename(path, '.json').replace('vocab', 'merges') + '.txt');
  if (!existsSync(mergesPath)) {
    throw configError(
      `${dirname(path)} has ${basename(path)}, but no ${basename(mergesPath)}. The tokenizer needs both files.`,
    );
  }
  const content = await readJsonObject<Record<string, unknown>>(path);
  return { kind: family.kind, path, content, mergesPath, merges: await readText(mergesPath) };
}

/** A folder can contain several kinds of vocabularies; the family decides which one is used. */
function vocabularyPath(family: Family, found: string): string {
  if (vocabularyKind(basename(found)) === family.kind) return found;
  const names = VOCABULARY_FILES[family.kind];
  const name = names.find((candidate) => existsSync(join(dirname(found), candidate)));
  if (name !== undefined) return join(dirname(found), name);
  throw configError(
    `A ${family.name}Tokenizer needs ${names.join(' or ')}, but the model has only ${basename(found)}. Check \`tokenizer_class\` in tokenizer_config.json, or \`model_type\` in config.json.`,
  );
}

async function readText(path: string): Promise<string> {
  const bytes = await readFile(path);
  const invalid = firstInvalidLine(bytes);
  if (invalid === undefined) return bytes.toString('utf8');
  throw configError(`${path} is not UTF-8 on line ${invalid}. Restore the original file.`);
}

/** Settings of the tokenizer that have no effect, one sentence each. */
export function ineffectiveOptions({ pad_strategy, truncation_strategy }: TokenizerOptions): string[] {
  const warnings: string[] = [];
  if (typeof pad_strategy === 'object') {
    warnings.push(
      `\`tokenizer.pad_strategy\` has no effect: padding does not change results, so texts are padded to the longest text in a batch instead of ${pad_strategy.fixed} tokens.`,
    );
  }
  if (truncation_strategy === 'only_first') {
    warnings.push(
      '`tokenizer.truncation_strategy: only_first` applies to single texts only: pairs are truncated longest first.',
    );
  }
  return warnings;
}
