import { randomUUID } from 'node:crypto';
import type { ComparedRow, SkipReason, TrialPlan } from '../../accounts/shadow/shadow-records.ts';
import { isJudged } from '../routing/shadow-settings.ts';
import { sharedBody, shownInput, containsSecret } from './candidate-request.ts';
import { type CompareParts, paidBy, type Sample } from './compare-sample.ts';
import { readAnswer, shownAnswer } from './read-answer.ts';
import { scoreAnswer } from './score-row.ts';

/** The request and the response that a judge scores. */
export type JudgedSample = Pick<Sample, 'endpoint' | 'inPath' | 'body' | 'answer' | 'size'>;

/** A row with the judge's scores, or without them and why. */
export interface JudgedRow {
  readonly row: ComparedRow;
  readonly skipped?: SkipReason | undefined;
}

/** Has the response to a request in an A/B test scored by the judge, on the account of the test's user. */
export async function judgeVariant(
  { call, isSecret, onProblem }: CompareParts,
  row: ComparedRow,
  sample: JudgedSample,
  plan: TrialPlan,
  user: string,
  signal: AbortSignal,
): Promise<JudgedRow> {
  const answer = readAnswer(sample.endpoint, sample.answer);
  if (!answer) return { row, skipped: 'unreadable' };
  const shared = sharedBody(sample, sample.body);
  if (await containsSecret([shared, shownAnswer(answer)], isSecret)) return { row, skipped: 'secret' };
  const payer = paidBy(call, { user, jobId: `ab-${randomUUID()}` }, signal);
  const scores = { ...row.scores };
  let skipped: SkipReason | undefined;
  try {
    for (const name of plan.metrics.filter(isJudged))
      scores[name] = await scoreAnswer(name, shownInput(shared), answer, plan, payer.ask);
  } catch (error) {
    onProblem(error);
    skipped = signal.aborted ? 'stopped' : 'not_scored';
  }
  return { row: { ...row, scores, scoring_cost_nano: payer.cost() }, skipped };
}
