import { configError } from '#contract/errors.ts';
import { isCount } from '#core/numbers/is-count.ts';
import {
  addModelTokens,
  TokenList,
  type Component,
  type TokenizerFile,
  tokenizerFile,
} from './token-list.ts';
import { type SentencePieceFamily, addedToken } from './family.ts';
import { templateProcessing } from './post-processor.ts';
import { ALGORITHM, PIECE, type SentencePieceModel, type Piece } from './sentencepiece-model.ts';
import type { TokenSettings } from './settings.ts';
import { codePoints } from '#core/text/code-points.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Settings of tokenizer_config.json for tokenizers with a sentencepiece model. */
export interface SentencePieceOptions extends NormalizerOptions {
  readonly split_by_punct?: unknown;
  readonly add_prefix_space?: unknown;
  readonly legacy?: unknown;
  readonly extra_ids?: unknown;
}

/** Creates the tokenizer for a sentencepiece model. */
export function sentencePieceTokenizer(
  family: SentencePieceFamily,
  model: SentencePieceModel,
  tokens: TokenSettings,
  options: SentencePieceOptions,
  path: string,
): TokenizerFile {
  const vocabulary = vocabularyOf(family, model, options);
  const list = new TokenList(new Map(vocabulary.map(([piece], id) => [piece, id])), vocabulary.length);
  // User-defined pieces remain pieces of the vocabulary. Added tokens would split a text, so that
  // the text after them would be treated as a new word.
  for (const { text, type } of model.pieces) {
    if (type === PIECE.control) list.add(addedToken(text, { normalized: false, special: true }));
  }
  const sentinels = family.ids === 'extra' ? sentinelsOf(options) : [];
  addModelTokens(list, { ...tokens, additional: [...tokens.additional, ...sentinels.toReversed()] });
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

/**
 * Decodes byte pieces. The converter in transformers omits this, so its tokenizers return an
 * unknown token instead.
 */
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
  // Skips the model's first three pieces (unknown, start and end), which have other ids here.
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

/** Sentinel tokens by id, so the sentinel with the highest number comes first. */
function sentinelsOf({ extra_ids }: SentencePieceOptions): string[] {
  const count = isCount(extra_ids) ? extra_ids : 100;
  return Array.from({ length: count }, (_, index) => `<extra_id_${count - 1 - index}>`);
}

/**
 * Whether text is tokenized as if it followed a space: always, never, or only at the start of the
 * whole text.
 */
function scheme(family: SentencePieceFamily, options: SentencePieceOptions): string {
  if (family.ids !== 'extra') return 'always';
  if (options.add_prefix_space === false) return 'never';
  return options.legacy === false ? 'first' : 'always';
}

/**
 * Each part between punctuation marks is treated as a separate text, without pieces for whitespace
 * at its start and end.
 */
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
    `${path} is a sentencepiece model that splits text into words or characters, which tokenizer.json cannot express. Use a unigram or bpe model.`,
  );
}

/**
 * Derives the merges of a BPE model, which a sentencepiece file does not contain: every way to
 * split a piece into two pieces. The order is the same as in transformers: by score (best first),
 * then by length of the left part (longest first), by length of the right part, and by position in
 * the vocabulary.
 */
function sentencePieceMerges(
  pieces: readonly Piece[],
  vocabulary: readonly (readonly [string, number])[],
): [string, string][] {
  const ids = new Map(pieces.map(({ text }, id) => [text, id]));
  const merges: { pair: [string, string]; score: number; left: number; right: number }[] = [];
  for (const [piece, score] of new Map(vocabulary)) {
    const splits = splitsOf(piece, ids).toSorted((a, b) => a.leftId - b.leftId || a.rightId - b.rightId);
    pushAll(
      merges,
      splits.map(({ pair, left, right }) => ({ pair, score, left, right })),
    );
  }
  merges.sort((a, b) => b.score - a.score || b.left - a.left || b.right - a.right);
  return merges.map(({ pair }) => pair);
}

interface Split {
  readonly pair: [string, string];
  readonly leftId: number;
  readonly rightId: number;
  /** Lengths in code points. */
  readonly left: number;
  readonly right: number;
}

function splitsOf(piece: string, ids: ReadonlyMap<string, number>): Split[] {
  const found: Split[] = [];
  const length = codePoints(piece);
  let end = 0;
  let left = 0;
  for (const character of piece) {
    end += character.length;
    left += 1;
    const pair: [string, string] = [piece.slice(0, end), piece.slice(end)];
    const [leftId, rightId] = pair.map((part) => ids.get(part));
    if (leftId === undefined || rightId === undefined) continue;
    found.push({ pair, leftId, rightId, left, right: length - left });
  }
  return found;
}

interface NormalizerOptions {
  readonly do_lower_case?: unknown;
  readonly keep_accents?: unknown;
  readonly remove_space?: unknown;
}

/**
 * Creates the normalizer of a family: the family's own steps, the model's compiled rules, and the
 * whitespace reduction of sentencepiece. The result is the same as with the slow tokenizers, with
 * which models without tokenizer.json were trained.
 */
function sentencePieceNormalizer(
  family: SentencePieceFamily,
  rules: Uint8Array,
  options: NormalizerOptions,
): Component {
  const compiled = rules.length === 0 ? [] : [{ type: 'Precompiled', precompiled_charsmap: base64(rules) }];
  const lowers = typeof options.do_lower_case === 'boolean' ? options.do_lower_case : family.lowerCase;
  const keeps = typeof options.keep_accents === 'boolean' ? options.keep_accents : family.keepAccents;
  const lowercase = lowers ? [{ type: 'Lowercase' }] : [];
  const accents = keeps ? [] : withoutAccents();
  const whiteSpace = options.remove_space === false ? [] : [WHITE_SPACE];
  const strip = { type: 'Strip', strip_left: false, strip_right: true };
  const steps: Record<SentencePieceFamily['normalizer'], readonly Component[]> = {
    model: [...compiled, strip, spaces('▁')],
    'lower-case': [...lowercase, ...compiled, strip, spaces(' ')],
    captions: [
      ...lowercase,
      replace({ Regex: PUNCTUATION }, ''),
      WHITE_SPACE,
      { type: 'Strip', strip_left: true, strip_right: true },
      ...compiled,
      strip,
      spaces(' '),
    ],
    quotes: [...whiteSpace, ...QUOTES, ...accents, ...lowercase, ...compiled, strip, spaces(' ')],
  };
  return { type: 'Sequence', normalizers: steps[family.normalizer] };
}

/**
 * Removes marks such as accents, but not the vowel signs of Indic scripts. All other characters are
 * composed again, for example Hangul.
 */
const withoutAccents = (): readonly Component[] => [
  { type: 'NFKD' },
  replace({ Regex: combiningMarks() }, ''),
  { type: 'NFC' },
];

const replace = (pattern: Readonly<Record<string, string>>, content: string): Component => ({
  type: 'Replace',
  pattern,
  content,
});
const spaces = (content: string): Component => replace({ Regex: ' {2,}' }, content);
/** Python's `string.punctuation`. */
const PUNCTUATION = '[!-/:-@\\[-`{-~]';
/** Whitespace characters at which Python splits texts. */
const WHITE_SPACE = replace({ Regex: String.raw`[\s\x1c-\x1f]+` }, ' ');
/** Quotation marks in TeX notation. */
const QUOTES = [replace({ String: '``' }, '"'), replace({ String: "''" }, '"')];

/** Does not use Node's Buffer, because the code in this folder must not depend on Node. */
function base64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/** Marks with the lowest and the second highest canonical combining class. */
const LOWEST = '\u0334';
const HIGHEST = '\u0345';
/** The last code point to check, because later planes contain no such marks. */
const LAST_CODE_POINT = 0x1_ff_ff;

/**
 * A regular expression for all marks that have a canonical combining class. Unlike the general
 * category of marks, it excludes vowel signs that take up their own space. Decomposable marks are
 * not included.
 */
function combiningMarks(): string {
  const ranges: [number, number][] = [];
  for (let code = 0x3_00; code <= LAST_CODE_POINT; code += 1) {
    const character = String.fromCodePoint(code);
    if (!/\p{M}/u.test(character) || !isReordered(character)) continue;
    const last = ranges.at(-1);
    if (last?.[1] === code - 1) last[1] = code;
    else ranges.push([code, code]);
  }
  return `[${ranges.map(([first, last]) => `\\x{${first.toString(16)}}-\\x{${last.toString(16)}}`).join('')}]`;
}

/**
 * Decomposing a text sorts adjacent marks by class. Marks without a class are not moved, so this
 * shows which marks have one.
 */
const isReordered = (mark: string): boolean =>
  mark === mark.normalize('NFD') &&
  [HIGHEST + mark, mark + LOWEST].some((pair) => pair !== pair.normalize('NFD'));
