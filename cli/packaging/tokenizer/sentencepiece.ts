import { configError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';
import { addedToken } from './added-token.ts';
import type { SentencePieceFamily } from './family.ts';
import { templateProcessing } from './post-processor.ts';
import { sentencePieceMerges } from './sentencepiece-merges.ts';
import { ALGORITHM, PIECE, type SentencePieceModel } from './sentencepiece-model.ts';
import { type NormalizerOptions, sentencePieceNormalizer } from './sentencepiece-normalizer.ts';
import type { TokenSettings } from './settings.ts';
import { addTokens, TokenList } from './token-list.ts';
import { type Component, type TokenizerFile, tokenizerFile } from './tokenizer-file.ts';

/** Settings of tokenizer_config.json for tokenizers with a sentencepiece model. */
export interface SentencePieceOptions extends NormalizerOptions {
  readonly split_by_punct?: unknown;
  readonly add_prefix_space?: unknown;
  readonly legacy?: unknown;
  readonly extra_ids?: unknown;
}

/** Makes the tokenizer of a sentencepiece model. */
export function sentencePieceTokenizer(
  family: SentencePieceFamily,
  model: SentencePieceModel,
  tokens: TokenSettings,
  options: SentencePieceOptions,
  path: string,
): TokenizerFile {
  const vocabulary = vocabularyOf(family, model, options);
  const list = new TokenList(new Map(vocabulary.map(([piece], id) => [piece, id])), vocabulary.length);
  // Pieces of the user stay pieces. As added tokens, they would split a text, so that what follows them looks like a new word.
  for (const { text, type } of model.pieces) {
    if (type === PIECE.control) list.add(addedToken(text, { normalized: false, special: true }));
  }
  const sentinels = family.ids === 'extra' ? sentinelsOf(options) : [];
  addTokens(list, { ...tokens, additional: [...tokens.additional, ...sentinels.toReversed()] });
  const metaspace = {
    type: 'Metaspace',
    replacement: '▁',
    prepend_scheme: scheme(family, options),
    split: true,
  };
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: sentencePieceNormalizer(family, model.normalizerRules, options),
    pre_tokenizer:
      options.split_by_punct === true && family.splitsAtPunctuation ? punctuated(metaspace) : metaspace,
    post_processor: { ...templateProcessing(family.template, tokens, list) },
    decoder: model.hasByteFallback ? { type: 'Sequence', decoders: [BYTES, metaspace] } : metaspace,
    model: modelOf(family, model, vocabulary, path),
  });
}

/** Decodes the pieces of bytes, which the converter of transformers leaves out: its tokenizers give an unknown token instead. */
const BYTES: Component = { type: 'ByteFallback' };

type Vocabulary = readonly (readonly [string, number])[];

function vocabularyOf(
  family: SentencePieceFamily,
  { pieces }: SentencePieceModel,
  options: SentencePieceOptions,
): Vocabulary {
  const from = (start: number): Vocabulary =>
    pieces.slice(start).map(({ text, score }) => [text, score - penalty(family, text)]);
  if (family.ids === 'extra') return [...from(0), ...sentinelsOf(options).map((text) => [text, 0] as const)];
  // The first three pieces of the model are unknown, start and end, which have other ids here.
  if (family.ids === 'fairseq')
    return [['<s>', 0], ['<pad>', 0], ['</s>', 0], ['<unk>', 0], ...from(3), ['<mask>', 0]];
  if (family.ids === 'camembert')
    return [
      ['<s>NOTUSED', 0],
      ['<pad>', 0],
      ['</s>NOTUSED', 0],
      ['<unk>', 0],
      ['<unk>NOTUSED', -100],
      ...from(1),
      ['<mask>', 0],
    ];
  return from(0);
}

const penalty = (family: SentencePieceFamily, text: string): number =>
  family.splitsDigitComma && /\p{Nd},$/u.test(text) ? 100 : 0;

/** Sentinel tokens in the order of their ids: the last one comes first. */
function sentinelsOf({ extra_ids }: SentencePieceOptions): string[] {
  const count = isCount(extra_ids) ? extra_ids : 100;
  return Array.from({ length: count }, (_, index) => `<extra_id_${count - 1 - index}>`);
}

/** Whether a text starts as if a space were before it: always, never, or only at its very beginning. */
function scheme(family: SentencePieceFamily, options: SentencePieceOptions): string {
  if (family.ids !== 'extra') return 'always';
  if (options.add_prefix_space === false) return 'never';
  return options.legacy === false ? 'first' : 'always';
}

/** Each part between punctuation is a text of its own: white space at its ends has no piece. */
const punctuated = (metaspace: Component): Component => ({
  type: 'Sequence',
  pretokenizers: [
    { type: 'Punctuation', behavior: 'Isolated' },
    { type: 'Split', pattern: { String: ' ' }, behavior: 'Removed', invert: false },
    metaspace,
  ],
});

function modelOf(
  family: SentencePieceFamily,
  model: SentencePieceModel,
  vocabulary: Vocabulary,
  path: string,
): Component {
  const { algorithm, pieces, unknownPiece, hasByteFallback: byte_fallback } = model;
  if (algorithm === ALGORITHM.unigram) {
    const unk_id = family.unknownId ?? model.unknownId;
    if (unk_id >= 0 && unk_id < vocabulary.length) {
      return { type: 'Unigram', unk_id, vocab: vocabulary, byte_fallback };
    }
    throw configError(
      `${path}: the id of the unknown token is ${unk_id}, but the model has ${pieces.length} pieces. Restore the original file.`,
    );
  }
  if (algorithm === ALGORITHM.bpe) {
    return {
      type: 'BPE',
      dropout: null,
      unk_token: unknownPiece,
      continuing_subword_prefix: null,
      end_of_word_suffix: null,
      fuse_unk: true,
      byte_fallback,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary.map(([piece], id) => [piece, id])),
      merges: sentencePieceMerges(pieces, vocabulary),
    };
  }
  throw configError(
    `${path} is a sentencepiece model that splits texts into words or characters, which tokenizer.json cannot express. Use a model of the type unigram or bpe.`,
  );
}
