import { harmonicMean } from '../text/mean-metric.ts';
import type { RowScores } from '../metric.ts';
import { type CallGroup, matchCalls } from './match-calls.ts';

export const CALL_SCORES = ['precision', 'recall', 'f1', 'order', 'arguments', 'match'] as const;

/**
 * Scores for a row's calls. `precision`, `recall` and `f1` count calls with the expected name and arguments; `order` is
 * the longest common subsequence relative to the longer list; `arguments` is the share of calls with an expected name
 * that also have the expected arguments; `match` is 1 if all groups are correct as a whole. Null is a row without a
 * response, which scores 0 even if no calls were expected.
 */
export function callScores(groups: readonly CallGroup[] | null): RowScores {
  if (groups === null) return NO_RESPONSE;
  let [expected, made, matched, named, inOrder, longer] = [0, 0, 0, 0, 0, 0];
  let areCorrect = true;
  for (const group of groups) {
    const found = matchCalls(group);
    expected += group.expected.length;
    made += group.made.length;
    matched += found.matched;
    named += found.named;
    inOrder += found.inOrder;
    longer += Math.max(group.expected.length, group.made.length);
    areCorrect &&= found.isCorrect;
  }
  const precision = share(matched, made, expected === 0);
  const recall = share(matched, expected, true);
  return {
    precision,
    recall,
    f1: harmonicMean(precision, recall),
    order: share(inOrder, longer, true),
    ...(named > 0 && { arguments: matched / named }),
    match: areCorrect ? 1 : 0,
  };
}

const NO_RESPONSE: RowScores = { precision: 0, recall: 0, f1: 0, order: 0, match: 0 };

/** Without any calls, everything is correct if none were expected. */
const share = (part: number, whole: number, isCorrectWithout: boolean): number =>
  whole === 0 ? (isCorrectWithout ? 1 : 0) : part / whole;
