/** The range of scores of a judge. */
export interface JudgeScale {
  readonly lowest: number;
  readonly highest: number;
}

export const JUDGE_SCALE: JudgeScale = { lowest: 0, highest: 10 };
