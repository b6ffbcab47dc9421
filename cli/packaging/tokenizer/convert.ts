import { configError } from '#contract/errors.ts';
import type { Family, WordPieceFamily, ByteLevelFamily } from './family.ts';
import { wholeTokenTokenizer } from './whole-tokens.ts';
import { readMerges, readVocabJson, readVocabText } from './vocabulary-kind.ts';
import { readSentencePieceModel } from './sentencepiece-model.ts';
import { sentencePieceTokenizer } from './sentencepiece.ts';
import { contentOf, type SettingsFiles, type TokenSettings, tokenSettings } from './settings.ts';
import {
  type TokenizerFile,
  tokenizerFile,
  type Component,
  addModelTokens,
  TokenList,
} from './token-list.ts';
import { roleToken, templateProcessing, withoutToken, requiredTokenId } from './post-processor.ts';

/** The content of a vocabulary, by kind. `path` is used in messages. */
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
  /** The token for padding. It is returned separately, because tokenizer.json does not contain it. */
  readonly padToken: string | undefined;
}

/** Creates the tokenizer.json for a model that only has the files of an older tokenizer. Pure. */
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
    const ids = readVocabText(vocabulary.text, path);
    return family.hasWholeTokens === true
      ? wholeTokenTokenizer(family, ids, tokens, options)
      : wordPieceTokenizer(family, ids, tokens, options);
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

/** Settings of tokenizer_config.json that change how a text is normalized. */
interface BertOptions {
  readonly do_lower_case?: unknown;
  readonly strip_accents?: unknown;
  readonly tokenize_chinese_chars?: unknown;
}

/** Creates the tokenizer for a vocab.txt. */
function wordPieceTokenizer(
  family: WordPieceFamily,
  vocabulary: ReadonlyMap<string, number>,
  tokens: TokenSettings,
  options: BertOptions,
): TokenizerFile {
  const list = new TokenList(vocabulary);
  addModelTokens(list, tokens);
  const unknown = roleToken('unk', tokens.special);
  if (!vocabulary.has(unknown)) throw withoutToken(unknown);
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: options.tokenize_chinese_chars !== false,
      // By default, accents are removed if and only if texts are lower-cased.
      strip_accents: typeof options.strip_accents === 'boolean' ? options.strip_accents : null,
      lowercase: options.do_lower_case !== false,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { ...templateProcessing(family.template, tokens, list) },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: unknown,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary),
    },
  });
}

/**
 * Settings of tokenizer_config.json that change how a text is split, and at which position its
 * tokens start.
 */
interface ByteLevelOptions {
  readonly add_prefix_space?: unknown;
  readonly trim_offsets?: unknown;
}

/** Creates the tokenizer for a vocab.json and a merges.txt. */
function byteLevelTokenizer(
  family: ByteLevelFamily,
  vocabulary: ReadonlyMap<string, number>,
  merges: readonly (readonly [string, string])[],
  tokens: TokenSettings,
  options: ByteLevelOptions,
): TokenizerFile {
  const list = new TokenList(vocabulary);
  addModelTokens(list, tokens);
  const prefix = options.add_prefix_space === true;
  const byteLevel = { type: 'ByteLevel', add_prefix_space: prefix, trim_offsets: true, use_regex: true };
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: family.trimsOffsets
      ? robertaProcessing(tokens, list, prefix, options.trim_offsets !== false)
      : { ...templateProcessing(family.template, tokens, list) },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary),
      merges,
    },
  });
}

function robertaProcessing(
  { special }: TokenSettings,
  list: TokenList,
  prefix: boolean,
  trim: boolean,
): Component {
  const withId = (role: string): [string, number] => {
    const token = roleToken(role, special);
    return [token, requiredTokenId(token, list)];
  };
  return {
    type: 'RobertaProcessing',
    sep: withId('sep'),
    cls: withId('cls'),
    trim_offsets: trim,
    add_prefix_space: prefix,
  };
}
