import { configError } from '#contract/errors.ts';
import { byteLevelTokenizer } from './byte-level.ts';
import type { Family } from './family.ts';
import { readMerges } from './merges-text.ts';
import { readSentencePieceModel } from './sentencepiece-model.ts';
import { sentencePieceTokenizer } from './sentencepiece.ts';
import { contentOf, type SettingsFiles, type TokenSettings, tokenSettings } from './settings.ts';
import type { TokenizerFile } from './tokenizer-file.ts';
import { readVocabJson } from './vocab-json.ts';
import { readVocabText } from './vocab-text.ts';
import { wordPieceTokenizer } from './wordpiece.ts';

/** Content of a vocabulary, by its kind. `path` is for messages. */
export type Vocabulary =
  | { readonly kind: 'wordpiece'; readonly path: string; readonly text: string }
  | {
      readonly kind: 'byte-level';
      readonly path: string;
      readonly content: Readonly<Record<string, unknown>>;
      readonly mergesPath: string;
      readonly merges: string;
    }
  | { readonly kind: 'sentencepiece'; readonly path: string; readonly bytes: Uint8Array };

export interface ConvertedTokenizer {
  readonly content: TokenizerFile;
  /** The token that fills short texts, which tokenizer.json does not contain. */
  readonly padToken: string | undefined;
}

/** Makes the tokenizer.json of a model that has only the files of an older tokenizer. Pure. */
export function convertTokenizer(
  family: Family,
  vocabulary: Vocabulary,
  settings: SettingsFiles,
): ConvertedTokenizer {
  const tokens = tokenSettings(family, settings);
  const pad = tokens.special.get('pad');
  const content = convert(family, vocabulary, tokens, settings.tokenizerConfig);
  return { content, padToken: pad === undefined ? undefined : contentOf(pad) };
}

function convert(
  family: Family,
  vocabulary: Vocabulary,
  tokens: TokenSettings,
  options: SettingsFiles['tokenizerConfig'],
): TokenizerFile {
  const { path } = vocabulary;
  if (family.kind === 'wordpiece' && vocabulary.kind === 'wordpiece') {
    return wordPieceTokenizer(family, readVocabText(vocabulary.text, path), tokens, options);
  }
  if (family.kind === 'byte-level' && vocabulary.kind === 'byte-level') {
    const ids = readVocabJson(vocabulary.content, path);
    const merges = readMerges(vocabulary.merges, ids, vocabulary.mergesPath);
    return byteLevelTokenizer(family, ids, merges, tokens, options);
  }
  if (family.kind === 'sentencepiece' && vocabulary.kind === 'sentencepiece') {
    const model = readSentencePieceModel(vocabulary.bytes, path);
    return sentencePieceTokenizer(family, model, tokens, options, path);
  }
  throw configError(
    `${path} is not the vocabulary of a ${family.name}Tokenizer. Check \`tokenizer_class\` in tokenizer_config.json, or \`model_type\` in config.json.`,
  );
}
