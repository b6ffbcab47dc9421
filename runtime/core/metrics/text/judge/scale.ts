/** The lowest and the highest score that a judge may give. */
export interface JudgeScale {
  readonly lowest: number;
  readonly highest: number;
}

export const JUDGE_SCALE: JudgeScale = { lowest: 0, highest: 10 };
