/** The role of a text for a multi_vector model: queries and documents are tokenized differently. */
export const TEXT_ROLES = ['query', 'document'] as const;
export type TextRole = (typeof TEXT_ROLES)[number];

/** How texts are turned into one vector per token: the manifest's settings for multi_vector models. */
export type MultiVectorSettings = Readonly<Record<TextRole, TextRules>> & {
  /** Whether vectors are L2-normalized by default. */
  readonly normalize: boolean;
};

/** How texts with one role are tokenized, and which of their tokens have a vector. */
export interface TextRules {
  /** The token after the first one, which marks queries and documents. */
  readonly marker?: SpecialToken;
  /** Maximum number of tokens, special tokens and marker included. */
  readonly maxLength: number;
  /** The token that fills a text up to `maxLength`; it has a vector, too. */
  readonly expansion?: SpecialToken & {
    /** Whether other tokens attend to it. */
    readonly isAttended: boolean;
  };
  /** Ids of the tokens that have no vector; undefined if all have one. */
  readonly skipped?: readonly number[];
}

interface SpecialToken {
  readonly id: number;
  readonly token: string;
}
