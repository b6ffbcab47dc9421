/** The role of a text, for models that encode queries and documents differently. */
export const TEXT_ROLES = ['query', 'document'] as const;
export type TextRole = (typeof TEXT_ROLES)[number];

/** The manifest's settings for multi_vector models, which return one vector per token. */
export type MultiVectorSettings = Readonly<Record<TextRole, TextRules>> & {
  /** Whether vectors are L2-normalized by default. */
  readonly normalize: boolean;
};

/** How texts with one role are tokenized, and which of their tokens have a vector. */
export interface TextRules {
  /** The token that is inserted after the first token to mark queries or documents. */
  readonly marker?: SpecialToken;
  /** Maximum number of tokens, including special tokens and the marker. */
  readonly maxLength: number;
  /** The token that fills a text up to `maxLength`. These tokens have vectors, too. */
  readonly expansion?: SpecialToken & {
    /** Whether other tokens attend to the tokens that fill a text. */
    readonly isAttended: boolean;
  };
  /** Ids of the tokens that have no vector; undefined if all have one. */
  readonly skipped?: readonly number[];
}

interface SpecialToken {
  readonly id: number;
  readonly token: string;
}
