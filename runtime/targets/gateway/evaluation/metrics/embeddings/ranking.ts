export interface Candidate {
  readonly score: number;
  /** Relevance of the candidate. */
  readonly gain: number;
}

/** Candidates by descending score; of equal scores, the less relevant comes first. */
export const ranking = (scores: readonly number[], gains: readonly number[]): Candidate[] =>
  scores
    .map((score, at): Candidate => ({ score, gain: gains[at] ?? 0 }))
    .sort((one, other) => other.score - one.score || one.gain - other.gain);
