import type { WindowAnswers } from './answer-spans.ts';
import { least } from '#core/numbers/extremes.ts';

/** An answer, with the same field names as in transformers' question answering pipeline. */
export interface SpanAnswer {
  readonly answer: string;
  readonly score: number;
  /** Start and end in the context, in Unicode code points. */
  readonly start: number;
  readonly end: number;
}

interface AnswerChoice {
  readonly topK: number;
  /** Whether an empty answer can be returned. */
  readonly canBeEmpty: boolean;
}

/**
 * Chooses the best answers from all windows of a context. If several answers have the same text,
 * their scores are added up, and the first of their positions is returned. The empty answer's score
 * is the lowest probability, over all windows, that a window has no answer.
 */
export function chooseAnswers(
  windows: readonly WindowAnswers[],
  context: string,
  { topK, canBeEmpty }: AnswerChoice,
): SpanAnswer[] {
  const characters = Array.from(context);
  const byText = new Map<string, SpanAnswer>();
  for (const { start, end, score } of windows.flatMap(({ spans }) => spans)) {
    const answer = characters.slice(start, end).join('');
    const key = answer.toLowerCase();
    const known = byText.get(key);
    byText.set(key, known ? { ...known, score: known.score + score } : { answer, score, start, end });
  }
  const none = least(windows.map((window) => window.none));
  const empty = canBeEmpty ? [{ answer: '', score: none, start: 0, end: 0 }] : [];
  return [...byText.values(), ...empty].sort((left, right) => right.score - left.score).slice(0, topK);
}
