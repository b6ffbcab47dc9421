export interface Candidate {
  readonly score: number;
  /** How relevant it is. */
  readonly gain: number;
}

/** Candidates from the best score to the worst; of equal scores the less relevant is first. */
export const ranking = (scores: readonly number[], gains: readonly number[]): Candidate[] =>
  scores
    .map((score, at): Candidate => ({ score, gain: gains[at] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.gain - other.gain);
