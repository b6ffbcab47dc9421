export const ROLES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const;
/** The role of a special token. For example, `cls` is called `cls_token` in a model's files. */
export type Role = (typeof ROLES)[number];

/**
 * Special tokens by role. The value is the token's text, or its text and flags, which take
 * precedence over those in a vocabulary.
 */
export type SpecialTokens = Partial<Record<Role, string | AddedToken>>;

/**
 * Template for special tokens around texts: `[CLS]:0` is a token and its type, `@cls:0` is the
 * token with that role, and `$A:0` is the first text.
 */
export interface Template {
  readonly single: string;
  readonly pair: string;
}

interface Base {
  /** The tokenizer's class name without `Tokenizer`, for use in messages. */
  readonly name: string;
  readonly special: SpecialTokens;
  /** Special tokens that have no role. */
  readonly additional?: readonly string[];
  readonly template: Template;
}

export interface WordPieceFamily extends Base {
  readonly kind: 'wordpiece';
  /** Whether vocab.txt contains whole tokens, such as amino acids, instead of pieces of words. */
  readonly hasWholeTokens?: boolean;
}

export interface ByteLevelFamily extends Base {
  readonly kind: 'byte-level';
  /** Whether the post-processor also excludes spaces from token offsets. */
  readonly trimsOffsets: boolean;
}

export interface SentencePieceFamily extends Base {
  readonly kind: 'sentencepiece';
  /** File names, most common first. */
  readonly file: string;
  /**
   * How pieces are mapped to ids. With `plain`, a piece's id is its position. `fairseq` and
   * `camembert` put their own special tokens first; `extra` appends sentinel tokens.
   */
  readonly ids: 'plain' | 'fairseq' | 'camembert' | 'extra';
  /** Id of the unknown token, if it differs from that in the sentencepiece model. */
  readonly unknownId?: number;
  /**
   * Normalization before the sentencepiece model's own rules. `quotes` also collapses whitespace
   * and replaces quotation marks in TeX notation; `captions` removes ASCII punctuation and collapses whitespace.
   */
  readonly normalizer: 'model' | 'lower-case' | 'quotes' | 'captions';
  readonly lowerCase: boolean;
  readonly keepAccents: boolean;
  /** Whether this family supports the setting `split_by_punct`. */
  readonly splitsAtPunctuation: boolean;
  /** Whether pieces such as `7,` are made unlikely, so that digits and commas are separate tokens. */
  readonly splitsDigitComma: boolean;
}

export type Family = WordPieceFamily | ByteLevelFamily | SentencePieceFamily;

/** A token that is searched for in a text before the text is split. */
export interface AddedToken {
  readonly content: string;
  readonly single_word: boolean;
  readonly lstrip: boolean;
  readonly rstrip: boolean;
  /** Whether the token is searched for in the normalized text. */
  readonly normalized: boolean;
  readonly special: boolean;
}

/** An added token with the default flags. */
export function addedToken(content: string, flags: Partial<Omit<AddedToken, 'content'>> = {}): AddedToken {
  const special = flags.special ?? false;
  return {
    content,
    single_word: flags.single_word ?? false,
    lstrip: flags.lstrip ?? false,
    rstrip: flags.rstrip ?? false,
    normalized: flags.normalized ?? !special,
    special,
  };
}
