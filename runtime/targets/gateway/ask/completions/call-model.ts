import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../serve/log.ts';
import type { HeldModels } from '../models/model-set.ts';
import type { StreamedAnswer, WholeAnswer } from '../providers/provider.ts';
import type { Resolved, Target } from '../routing/routing.ts';
import type { StreamSummary } from '../streams/stream.ts';
import type { RequestAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest } from './completion.ts';
import type { ModelCall, EndpointRules } from './endpoints/endpoint.ts';
import { type GuardedInput, setVerdictsHeader } from './guarded-input.ts';
import type { Outcome } from './usage-entries.ts';

export interface CallModelParts {
  readonly request: CompletionRequest;
  readonly rules: EndpointRules;
  readonly resolved: Resolved;
  readonly call: ModelCall;
  readonly guarded: GuardedInput;
  readonly account: RequestAccount;
  /** Released when the answer has ended. */
  readonly held: HeldModels;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls the model and settles the usage before the client has the end of the answer. Throws if no model answered. */
export async function callModel(parts: CallModelParts): Promise<CompletionAnswer> {
  const { rules, resolved, call, account, held } = parts;
  const { answer, target } = await rules.call(held.set.router, resolved, call, {
    onAttempt: account.attempted,
  });
  if (answer.kind === 'failed') {
    const { kind, error } = answer.failure;
    if (kind === 'answer_too_large') {
      // The model generated the answer, so the provider bills it.
      account.answeredBy(target.key);
      await account.settle({ ...unread(target), error });
    }
    throw error;
  }
  account.answeredBy(target.key);
  reportDropped(parts, target, answer.droppedTools);
  return answer.kind === 'whole' ? await finish(parts, answer, target) : begin(parts, answer, target);
}

/** Reports to the client and to the log which tools the model did not get. */
function reportDropped(
  { request, log }: CallModelParts,
  { key }: Target,
  tools: readonly string[] = [],
): void {
  if (tools.length === 0) return;
  const { requestId, setHeader } = request;
  setHeader(DROPPED_HEADER, [...new Set(tools)].join(', ').replaceAll(/[^\w ,.-]/g, '_'));
  log.info({ requestId, model: key, tools }, 'tools dropped that the provider cannot run');
}

/** Types of tools that were dropped. */
const DROPPED_HEADER = 'X-Gateway-Dropped-Tools';

const unread = ({ key }: Target): Omit<Outcome, 'error'> => ({
  answered: { key, summary: undefined },
  streamed: false,
  firstByteMs: undefined,
});

async function finish(
  { request, guarded, account, held }: CallModelParts,
  { bytes, type, text, summary }: WholeAnswer,
  { key }: Target,
): Promise<CompletionAnswer> {
  let error: AppError | undefined;
  try {
    error = await blockedOutput(request, guarded, held, text);
  } catch (thrown) {
    // The model generated the answer, so the provider bills it.
    error = AppError.from(thrown);
  }
  await account.settle({ answered: { key, summary }, error, streamed: false, firstByteMs: undefined });
  if (error) throw error;
  account.whenRecorded(held.release);
  return { kind: 'whole', bytes, type };
}

async function blockedOutput(
  request: CompletionRequest,
  { rules, verdicts: ofInput }: GuardedInput,
  { set }: HeldModels,
  text: string,
): Promise<AppError | undefined> {
  if (rules.length === 0) return undefined;
  const { verdicts, blocked } = await set.guardrails.checkOutput(rules, text, request.signal);
  setVerdictsHeader(request, [...ofInput, ...verdicts]);
  return blocked;
}

function begin(
  { request, guarded, account, held, clock, log }: CallModelParts,
  { stream, type }: StreamedAnswer,
  { key }: Target,
): CompletionAnswer {
  const { requestId, signal, startedAt } = request;
  const firstByteMs = clock.now() - startedAt;
  const guard = held.set.guardrails.streamGuard(guarded.rules, signal, (verdicts) => {
    // Verdicts are logged only: the headers of a stream are already sent.
    for (const verdict of verdicts)
      if (!verdict.valid) log.warn({ requestId, ...verdict }, 'guardrail flagged a stream');
  });
  const events = stream.forward({
    clock,
    guard,
    async settle(summary) {
      try {
        const error = errorOf(summary);
        await account.settle({ answered: { key, summary }, error, streamed: true, firstByteMs });
      } finally {
        account.whenRecorded(held.release);
      }
    },
  });
  return { kind: 'stream', events, type };
}

function errorOf({ outcome, error }: StreamSummary): AppError | undefined {
  if (outcome === 'complete') return undefined;
  return error ?? new AppError('CancelledError', 'Client disconnected.', { reason: 'client_left' });
}
