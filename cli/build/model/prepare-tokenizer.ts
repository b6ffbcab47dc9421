import { readFile } from 'node:fs/promises';
import { configError, messageOf } from '../../../runtime/contract/errors.ts';
import type { TokenizerSettings } from '../../../runtime/contract/manifest.ts';
import { type LoadedTokenizer, loadTokenizer } from '../../adapters/tokenizers.ts';
import type { ModelConfig } from './labels.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJson } from './read-json.ts';
import { type TokenizerConfig, type TokenizerJson, tokenizerSettings } from './tokenizer-settings.ts';

export interface PreparedTokenizer {
  readonly tokenizer: LoadedTokenizer;
  readonly settings: TokenizerSettings;
  /** tokenizer.json without white space: a third smaller, and as much faster to load. */
  readonly json: string;
}

/** Loads the tokenizer as the executable will, and decides how it cuts and pads. */
export async function prepareTokenizer(
  files: ModelFiles,
  modelConfig: ModelConfig,
): Promise<PreparedTokenizer> {
  const json = await readJson<TokenizerJson>(files.tokenizer);
  const tokenizer = await load(files.tokenizer);
  const config = files.tokenizerConfig ? await readJson<TokenizerConfig>(files.tokenizerConfig) : {};
  return {
    tokenizer,
    settings: {
      ...tokenizerSettings(config, json, modelConfig, tokenizer.idOf),
      vocabularySize: tokenizer.vocabularySize,
    },
    json: JSON.stringify(json),
  };
}

async function load(path: string): Promise<LoadedTokenizer> {
  const text = await readFile(path, 'utf8');
  try {
    return loadTokenizer(text);
  } catch (error) {
    throw configError(
      `${path} is not a tokenizer: ${messageOf(error)}. Save it with the tokenizer's \`save_pretrained\`.`,
      error,
    );
  }
}
