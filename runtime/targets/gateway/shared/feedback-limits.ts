/** Range of scores, wide enough for shares, stars and percentages. */
export const SCORE = { minimum: -100, maximum: 100 } as const;

// Maximum lengths, in characters.
export const MAX_LABEL = 100;
export const MAX_COMMENT = 10_000;
export const MAX_EXPECTED = 65_536;

/** Who writes feedback. */
export interface Author {
  /** The user's internal ID, which is never reused; empty for the master key and for commands. */
  readonly id: string;
  readonly userId: string | null;
}

export const MASTER_AUTHOR: Author = { id: '', userId: null };
