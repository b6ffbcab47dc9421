export const ROLES = ['bos', 'eos', 'unk', 'sep', 'pad', 'cls', 'mask'] as const;
/** The role of a special token: `cls` is `cls_token` in the files of a model. */
export type Role = (typeof ROLES)[number];

/**
 * Special tokens by role: only a text, or a text with flags, which take precedence over those in a
 * vocabulary.
 */
export type SpecialTokens = Partial<Record<Role, string | AddedToken>>;

/**
 * Where special tokens go: `[CLS]:0` is a token and its type, `@cls:0` the token with that role,
 * `$A:0` the first text.
 */
export interface Template {
  readonly single: string;
  readonly pair: string;
}

interface Base {
  /** The tokenizer's class name without `Tokenizer`, which is the name that users look up. */
  readonly name: string;
  readonly special: SpecialTokens;
  /** Special tokens without a role. */
  readonly additional?: readonly string[];
  readonly template: Template;
}

export interface WordPieceFamily extends Base {
  readonly kind: 'wordpiece';
}

export interface ByteLevelFamily extends Base {
  readonly kind: 'byte-level';
  /** Whether the post-processor also trims the spaces from offsets. */
  readonly trimsOffsets: boolean;
}

export interface SentencePieceFamily extends Base {
  readonly kind: 'sentencepiece';
  /** File names, most common first. */
  readonly file: string;
  /**
   * How pieces are mapped to ids: with `plain`, ids are their positions. `fairseq` and `camembert`
   * put their own special tokens first, `extra` appends sentinel tokens.
   */
  readonly ids: 'plain' | 'fairseq' | 'camembert' | 'extra';
  /** Id of the unknown token, if it differs from the model's. */
  readonly unknownId?: number;
  /**
   * Steps before the model's own rules. `quotes` also collapses whitespace and replaces quotation
   * marks in TeX notation.
   */
  readonly normalizer: 'model' | 'lower-case' | 'quotes';
  readonly lowerCase: boolean;
  readonly keepAccents: boolean;
  /** Whether this family supports the setting `split_by_punct`. */
  readonly splitsAtPunctuation: boolean;
  /** Whether pieces such as `7,` are made unlikely, so that digits and commas are separate tokens. */
  readonly splitsDigitComma: boolean;
}

export type Family = WordPieceFamily | ByteLevelFamily | SentencePieceFamily;

/** A token that is found in a text before the text is split. */
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
