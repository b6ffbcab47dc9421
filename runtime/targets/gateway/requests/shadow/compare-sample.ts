import { randomUUID } from 'node:crypto';
import type { ComparedRow, SkipReason, TrialPlan } from '../../accounts/shadow/shadow-records.ts';
import type { Json } from '../../providers/shapes/chat.ts';
import type { CompletionRequest } from '../completions/completion.ts';
import type { CallOther, OtherAnswer } from './call-other.ts';
import { OtherFailure } from './call-other.ts';
import { candidateRequest, containsSecret, hasTools, sharedBody, shownInput } from './candidate-request.ts';
import { readAnswer, type ReadAnswer, shownAnswer } from './read-answer.ts';
import { type AskModel, failedScores, scoreRow } from './score-row.ts';

/** A sampled request with the response that the user received. */
export interface Sample {
  readonly endpoint: CompletionRequest['endpoint'];
  readonly inPath: CompletionRequest['inPath'];
  readonly requestId: string;
  readonly at: number;
  readonly userId: string;
  readonly keyId: string;
  readonly body: Json;
  readonly answer: Uint8Array;
  readonly model: string;
  readonly cost: bigint | null;
  readonly durationMs: number;
  readonly firstByteMs: number | undefined;
  /** Size of both texts in bytes. */
  readonly size: number;
}

export interface CompareParts {
  readonly call: CallOther;
  /** Whether a text contains a secret, which must not be sent to another model. */
  readonly isSecret: (text: string) => Promise<boolean>;
  readonly onProblem: (error: unknown) => void;
}

export type Comparison = { readonly row: ComparedRow } | { readonly skipped: SkipReason };

/** Sends a sampled request to the candidate and scores both responses. */
export async function compareSample(
  { call, isSecret, onProblem }: CompareParts,
  sample: Sample,
  plan: TrialPlan,
  user: string,
  signal: AbortSignal,
): Promise<Comparison> {
  const { endpoint, body } = sample;
  const baseline = readAnswer(endpoint, sample.answer);
  if (!baseline) return { skipped: 'unreadable' };
  const shared = sharedBody(sample, body);
  // The judge also sees the response.
  if (await containsSecret([shared, shownAnswer(baseline)], isSecret)) return { skipped: 'secret' };
  const id = `shadow-${randomUUID()}`;
  const payer = { user, jobId: id };
  const scoring = paidBy(call, payer, signal);

  let other: OtherAnswer | undefined;
  let candidate: ReadAnswer | undefined;
  try {
    other = await call(candidateRequest(sample, shared, body['stream'], plan.candidate), payer, signal);
    candidate = readAnswer(endpoint, other.bytes);
  } catch (error) {
    if (signal.aborted) return { skipped: 'stopped' };
    onProblem(error);
    // A limit of the evaluation's own user is not a failure of the candidate.
    if (!(error instanceof OtherFailure) || !error.wasCalled) return { skipped: 'limited' };
  }
  const pair = candidate && {
    input: shownInput(shared),
    offersTools: hasTools(shared),
    baseline,
    candidate,
  };
  const scored = pair
    ? await scoreRow(pair, plan, scoring.ask)
    : { scores: failedScores(plan), problems: [] };
  if (signal.aborted) return { skipped: 'stopped' };
  for (const problem of scored.problems) onProblem(problem);
  // Without the score that decides, the row would only be a cost.
  if (plan.deciding.every((name) => !(name in scored.scores)) && scored.problems.length > 0)
    return { skipped: 'not_scored' };
  return {
    row: {
      id,
      at: Math.floor(sample.at),
      request_id: sample.requestId,
      user_id: sample.userId,
      api_key_id: sample.keyId,
      model: sample.model,
      failed: candidate ? 0 : 1,
      scores: scored.scores,
      cost_nano: sample.cost,
      candidate_cost_nano: other?.cost ?? null,
      scoring_cost_nano: scoring.cost(),
      duration_ms: Math.round(sample.durationMs),
      candidate_duration_ms: other ? Math.round(other.durationMs) : null,
      first_ms: rounded(sample.firstByteMs),
      candidate_first_ms: rounded(other?.firstByteMs),
    },
  };
}

/** Calls of the judge and the embedder, with their cost so far. */
export function paidBy(
  call: CallOther,
  payer: Parameters<CallOther>[1],
  signal: AbortSignal,
): { readonly ask: AskModel; readonly cost: () => bigint } {
  let cost = 0n;
  return {
    cost: () => cost,
    async ask(request) {
      try {
        const answer = await call(request, payer, signal);
        cost += answer.cost ?? 0n;
        return answer.bytes;
      } catch (error) {
        if (error instanceof OtherFailure) cost += error.cost;
        throw error;
      }
    },
  };
}

const rounded = (one: number | undefined): number | null => (one === undefined ? null : Math.round(one));
