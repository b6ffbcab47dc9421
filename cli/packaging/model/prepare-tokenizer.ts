import { configError, messageOf } from '#contract/errors.ts';
import type { TokenizerSettings } from '#contract/manifest.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../adapters/tokenizers.ts';
import { checkVocabulary } from './check-vocabulary.ts';
import { withBertSettings } from './bert-normalizer.ts';
import type { ModelConfig } from './model-config.ts';
import type { ModelFiles } from './locate-files.ts';
import { withLowerCase } from './lower-case.ts';
import { readJson } from './read-json.ts';
import { readTokenizer } from './read-tokenizer.ts';
import { type TokenizerConfig, tokenizerSettings } from './tokenizer-settings.ts';

export interface PreparedTokenizer {
  readonly tokenizer: LoadedTokenizer;
  readonly settings: TokenizerSettings;
  /** tokenizer.json without white space: a third smaller and faster to load. */
  readonly json: string;
  /** Files that it was read from, for messages. */
  readonly origin: string;
}

/** Settings of a tokenizer from other files of the model. */
export interface TokenizerDefaults {
  /** Maximum number of tokens of a text. */
  readonly maxLength?: number | undefined;
  readonly lowerCase?: boolean;
  /** How many of the possible tokens the model needs. `isChosen` states whether the config sets their number. */
  readonly limit?: (possible: number, isChosen: boolean) => number;
}

interface TokenizerOverrides extends TokenizerDefaults {
  /** `max_length` of the config file. */
  readonly chosenLength?: number | undefined;
  /** `tokenizer.truncation_side` of the config file. */
  readonly truncationSide?: 'left' | 'right' | undefined;
}

/** Loads the tokenizer as the executable will, and determines truncation and padding. */
export async function prepareTokenizer(
  files: ModelFiles,
  modelConfig: ModelConfig,
  {
    maxLength,
    chosenLength,
    truncationSide,
    lowerCase,
    limit = (possible) => possible,
  }: TokenizerOverrides = {},
): Promise<PreparedTokenizer> {
  const stated = files.tokenizerConfig ? await readJson<TokenizerConfig>(files.tokenizerConfig) : {};
  const read = await readTokenizer(files.tokenizer, stated, modelConfig);
  const { content: written, origin, padToken } = read;
  const config = padToken === undefined ? stated : { ...stated, pad_token: padToken };
  const content = withBertSettings(written, config, modelConfig);
  const final = lowerCase ? withLowerCase(content) : content;
  const json = JSON.stringify(final);
  const tokenizer = await load(files.tokenizer, json);
  await checkVocabulary(tokenizer, final, origin);
  const wished = chosenLength ?? maxLength;
  const limited = wished === undefined ? config : { ...config, model_max_length: wished };
  const settings = tokenizerSettings(limited, content, modelConfig, tokenizer.idOf);
  refuseLonger(chosenLength, settings.maxLength);
  return {
    tokenizer,
    settings: {
      ...settings,
      maxLength: limit(chosenLength ?? settings.maxLength, chosenLength !== undefined),
      ...(truncationSide ? { truncationSide } : {}),
      vocabularySize: tokenizer.vocabularySize,
    },
    json,
    origin,
  };
}

function refuseLonger(chosen: number | undefined, possible: number): void {
  if (chosen === undefined || chosen <= possible) return;
  throw configError(
    `\`max_length\` is ${chosen}, but config.json limits the model to ${possible} tokens. Set \`max_length\` to at most that.`,
  );
}

async function load(path: string, json: string): Promise<LoadedTokenizer> {
  try {
    return await loadTokenizer(json);
  } catch (error) {
    throw configError(
      `Invalid tokenizer ${path}: ${messageOf(error)}. Save it with \`save_pretrained\` of the tokenizer.`,
      error,
    );
  }
}
