import { inputError } from '#contract/errors.ts';

/** Which answers to return from a context. */
export interface AnswerPlan {
  readonly topK: number;
  /** Maximum number of tokens in an answer. */
  readonly maxLength: number;
  readonly canBeEmpty: boolean;
}

interface AnswerWishes {
  readonly topK?: number | null | undefined;
  readonly maxLength?: number | null | undefined;
  readonly canBeEmpty?: boolean | null | undefined;
}

export const DEFAULT_ANSWERS = { topK: 1, maxLength: 15 } as const;
export const MAX_ANSWERS = 1000;

export function planAnswers({ topK, maxLength, canBeEmpty }: AnswerWishes): AnswerPlan {
  return {
    topK: inRange('top_k', topK ?? DEFAULT_ANSWERS.topK),
    maxLength: inRange('max_answer_len', maxLength ?? DEFAULT_ANSWERS.maxLength),
    canBeEmpty: canBeEmpty ?? false,
  };
}

/**
 * Number of candidate answers to examine per window, as in the transformers pipeline: some of them
 * become identical when extended to whole words.
 */
export const answerCandidates = ({ topK }: AnswerPlan): number => topK * 2 + 10;

function inRange(name: string, value: number): number {
  if (Number.isInteger(value) && value >= 1 && value <= MAX_ANSWERS) return value;
  throw inputError(`${name} must be a whole number from 1 to ${MAX_ANSWERS}, not ${value}.`);
}
