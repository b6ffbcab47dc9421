import { pushAll } from '../values/push-all.ts';

/** The relevant parts of a tokenizer.json. */
export interface TokenizerJson {
  readonly added_tokens?: readonly { readonly content: string }[];
  readonly normalizer?: {
    readonly type: string;
    readonly clean_text?: boolean;
    readonly lowercase?: boolean;
  };
  readonly pre_tokenizer?: { readonly type: string };
  readonly post_processor?: Template | null;
  readonly model: {
    readonly type?: string;
    readonly vocab?: Readonly<Record<string, number>>;
    readonly unk_token?: string;
    readonly continuing_subword_prefix?: string;
    readonly max_input_chars_per_word?: number;
  };
}

/** The special tokens around a text, in one of two formats. */
interface Template {
  readonly type: string;
  readonly single?: readonly {
    readonly SpecialToken?: { readonly id: string; readonly type_id: number };
    readonly Sequence?: { readonly type_id: number };
  }[];
  readonly special_tokens?: Readonly<Record<string, { readonly ids: readonly number[] }>>;
  readonly cls?: readonly [token: string, id: number];
  readonly sep?: readonly [token: string, id: number];
}

/**
 * Tokenizes plain English text as BERT's tokenizers do. The tokenizer library runs in another
 * thread, and the round trip takes longer than the tokenization. Only supports printable ASCII
 * characters, for which no Unicode rules are needed.
 */
export interface WordPiece {
  /** The token ids, or undefined if the text requires the library. */
  encode(text: string, addSpecialTokens: boolean): Int32Array | undefined;
}

const PLAIN_TEXT = /^[\t\n\r\u0020-\u007E]*$/;
/** Words, and single punctuation marks: all ASCII characters other than letters and digits, as in BERT. */
const WORDS = /[\dA-Za-z]+|[^\s\dA-Za-z]/g;
/**
 * Maximum number of added tokens. If there were more, searching a text for each of them would take
 * longer than the library does.
 */
const MAX_ADDED_TOKENS = 16;

/** Creates the tokenizer for a tokenizer.json; undefined if the file contains unsupported rules. */
export function readWordPiece({
  added_tokens: added = [],
  normalizer,
  pre_tokenizer: splitter,
  post_processor: template,
  model,
}: TokenizerJson): WordPiece | undefined {
  const { vocab, unk_token: unknownToken = '', continuing_subword_prefix: prefix = '##' } = model;
  const isBert =
    model.type === 'WordPiece' &&
    normalizer?.type === 'BertNormalizer' &&
    normalizer.clean_text === true &&
    splitter?.type === 'BertPreTokenizer';
  const around = template ? specialTokensAround(template) : NO_TOKENS;
  const unknown = vocab?.[unknownToken];
  if (!isBert || !vocab || !around || unknown === undefined || added.length > MAX_ADDED_TOKENS)
    return undefined;
  const special = added.map(({ content }) => content.toLowerCase());
  const pieces = createPieces(vocab, prefix, model.max_input_chars_per_word ?? 100, unknown);
  return {
    encode(text, addSpecialTokens) {
      if (!PLAIN_TEXT.test(text)) return undefined;
      const lower = text.toLowerCase();
      if (special.some((token) => lower.includes(token))) return undefined;
      const ids: number[] = addSpecialTokens ? [...around.first] : [];
      for (const word of (normalizer.lowercase === true ? lower : text).match(WORDS) ?? [])
        pieces.add(word, ids);
      if (addSpecialTokens) pushAll(ids, around.last);
      return Int32Array.from(ids);
    },
  };
}

interface TokensAround {
  readonly first: readonly number[];
  readonly last: readonly number[];
}

const NO_TOKENS: TokensAround = { first: [], last: [] };

/** Returns the ids of the special tokens before and after a text; undefined for unsupported templates. */
function specialTokensAround({
  type,
  single = [],
  special_tokens: tokens = {},
  cls,
  sep,
}: Template): TokensAround | undefined {
  if (cls && sep && ['BertProcessing', 'RobertaProcessing'].includes(type))
    return { first: [cls[1]], last: [sep[1]] };
  const [before, middle, after, ...more] = single;
  const isPlain =
    type === 'TemplateProcessing' &&
    more.length === 0 &&
    middle?.Sequence?.type_id === 0 &&
    before?.SpecialToken?.type_id === 0 &&
    after?.SpecialToken?.type_id === 0;
  if (!isPlain) return undefined;
  const first = tokens[before.SpecialToken.id]?.ids ?? [];
  const last = tokens[after.SpecialToken.id]?.ids ?? [];
  return first.length === 1 && last.length === 1 ? { first, last } : undefined;
}

/** Splits words into pieces: at each position, the longest piece in the vocabulary. */
function createPieces(
  vocab: Readonly<Record<string, number>>,
  prefix: string,
  maxLength: number,
  unknown: number,
): { add(word: string, ids: number[]): void } {
  const starts = new Map<string, number>();
  const continuations = new Map<string, number>();
  let longest = 0;
  for (const [token, id] of Object.entries(vocab)) {
    const isContinuation = token.startsWith(prefix);
    if (isContinuation) continuations.set(token.slice(prefix.length), id);
    // A piece that begins with the prefix can also be the start of a word.
    starts.set(token, id);
    longest = Math.max(longest, token.length);
  }
  return {
    add(word, ids) {
      const before = ids.length;
      if (word.length > maxLength) {
        ids.push(unknown);
        return;
      }
      for (let from = 0; from < word.length;) {
        const known = from === 0 ? starts : continuations;
        let to = Math.min(word.length, from + longest);
        let id = known.get(word.slice(from, to));
        while (id === undefined && to > from + 1) id = known.get(word.slice(from, (to -= 1)));
        if (id === undefined) {
          // If a part of a word is not in the vocabulary, the whole word becomes the unknown token.
          ids.length = before;
          ids.push(unknown);
          return;
        }
        ids.push(id);
        from = to;
      }
    },
  };
}
