import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { HeldModels } from '../models/model-set.ts';
import type { StreamedAnswer, WholeAnswer } from '../providers/provider.ts';
import type { Resolved, Target } from '../routing/routing.ts';
import type { StreamSummary } from '../streams/stream.ts';
import type { RequestAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest } from './completion.ts';
import type { AskedCall, EndpointRules } from './endpoints/endpoint.ts';
import { type GuardedInput, tellVerdicts } from './guarded-input.ts';
import type { Outcome } from './usage-entries.ts';

export interface AskParts {
  readonly request: CompletionRequest;
  readonly rules: EndpointRules;
  readonly resolved: Resolved;
  readonly call: AskedCall;
  readonly guarded: GuardedInput;
  readonly account: RequestAccount;
  /** Let go when the answer has ended. */
  readonly held: HeldModels;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Somebody's answer, with the accounts settled before the client has all of it. Throws if there is none. */
export async function askModel(parts: AskParts): Promise<CompletionAnswer> {
  const { rules, resolved, call, account, held } = parts;
  const { answer, target } = await rules.ask(held.set.router, resolved, call, {
    onAttempt: account.attempted,
  });
  if (answer.kind === 'failed') {
    const { kind, error } = answer.failure;
    if (kind === 'answer_too_large') {
      // It was written all the same, and is to be paid for.
      account.answeredBy(target.key);
      await account.settle({ ...unread(target), error });
    }
    throw error;
  }
  account.answeredBy(target.key);
  return answer.kind === 'whole' ? await finish(parts, answer, target) : begin(parts, answer, target);
}

const unread = ({ key }: Target): Omit<Outcome, 'error'> => ({
  answered: { key, summary: undefined },
  streamed: false,
  firstByteMs: undefined,
});

async function finish(
  { request, guarded, account, held }: AskParts,
  { bytes, text, summary }: WholeAnswer,
  { key }: Target,
): Promise<CompletionAnswer> {
  let error: AppError | undefined;
  try {
    error = await blockedOutput(request, guarded, held, text);
  } catch (thrown) {
    // It was written all the same, and is to be paid for.
    error = AppError.from(thrown);
  }
  await account.settle({ answered: { key, summary }, error, streamed: false, firstByteMs: undefined });
  if (error) throw error;
  account.whenBooked(held.release);
  return { kind: 'whole', json: bytes };
}

async function blockedOutput(
  request: CompletionRequest,
  { rules, verdicts: ofInput }: GuardedInput,
  { set }: HeldModels,
  text: string,
): Promise<AppError | undefined> {
  if (rules.length === 0) return undefined;
  const { verdicts, blocked } = await set.guardrails.checkOutput(rules, text, request.signal);
  tellVerdicts(request, [...ofInput, ...verdicts]);
  return blocked;
}

function begin(
  { request, guarded, account, held, clock, log }: AskParts,
  { stream }: StreamedAnswer,
  { key }: Target,
): CompletionAnswer {
  const { requestId, signal, startedAt } = request;
  const firstByteMs = clock.now() - startedAt;
  const guard = held.set.guardrails.streamGuard(guarded.rules, signal, (verdicts) => {
    // Headers are gone by then.
    for (const verdict of verdicts)
      if (!verdict.valid) log.warn({ requestId, ...verdict }, 'guardrail objects to a stream');
  });
  const events = stream.forward({
    clock,
    guard,
    async settle(summary) {
      try {
        const error = errorOf(summary);
        await account.settle({ answered: { key, summary }, error, streamed: true, firstByteMs });
      } finally {
        account.whenBooked(held.release);
      }
    },
  });
  return { kind: 'stream', events };
}

function errorOf({ outcome, error }: StreamSummary): AppError | undefined {
  if (outcome === 'complete') return undefined;
  return error ?? new AppError('CancelledError', 'The client has left.', { reason: 'client_left' });
}
