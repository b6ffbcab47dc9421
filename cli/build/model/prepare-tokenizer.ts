import { configError, messageOf } from '../../../runtime/contract/errors.ts';
import type { TokenizerSettings } from '../../../runtime/contract/manifest.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../adapters/tokenizers.ts';
import type { ModelConfig } from './labels.ts';
import type { ModelFiles } from './locate-files.ts';
import { withLowerCase } from './lower-case.ts';
import { readJson } from './read-json.ts';
import { type TokenizerConfig, type TokenizerJson, tokenizerSettings } from './tokenizer-settings.ts';

export interface PreparedTokenizer {
  readonly tokenizer: LoadedTokenizer;
  readonly settings: TokenizerSettings;
  /** tokenizer.json without white space: a third smaller, and as much faster to load. */
  readonly json: string;
}

/** What other files than the tokenizer's own say of it. */
export interface TokenizerWishes {
  /** Longest input in tokens, as the model's own files say. */
  readonly maxLength?: number | undefined;
  /** The `max_length` of the config file. */
  readonly chosenLength?: number | undefined;
  readonly lowerCase?: boolean;
}

/** Loads the tokenizer as the executable will, and decides how it cuts and pads. */
export async function prepareTokenizer(
  files: ModelFiles,
  modelConfig: ModelConfig,
  { maxLength, chosenLength, lowerCase }: TokenizerWishes = {},
): Promise<PreparedTokenizer> {
  const content = await readJson<TokenizerJson>(files.tokenizer);
  const json = JSON.stringify(lowerCase ? withLowerCase(content) : content);
  const tokenizer = load(files.tokenizer, json);
  const config = files.tokenizerConfig ? await readJson<TokenizerConfig>(files.tokenizerConfig) : {};
  const wished = chosenLength ?? maxLength;
  const limited = wished === undefined ? config : { ...config, model_max_length: wished };
  const settings = tokenizerSettings(limited, content, modelConfig, tokenizer.idOf);
  refuseLonger(chosenLength, settings.maxLength);
  return {
    tokenizer,
    settings: {
      ...settings,
      vocabularySize: tokenizer.vocabularySize,
    },
    json,
  };
}

function refuseLonger(chosen: number | undefined, possible: number): void {
  if (chosen === undefined || chosen <= possible) return;
  throw configError(
    `\`max_length\` is ${chosen}, but the model takes ${possible} tokens by its config.json. Choose a length up to that.`,
  );
}

function load(path: string, json: string): LoadedTokenizer {
  try {
    return loadTokenizer(json);
  } catch (error) {
    throw configError(
      `${path} is not a tokenizer: ${messageOf(error)}. Save it with the tokenizer's \`save_pretrained\`.`,
      error,
    );
  }
}
