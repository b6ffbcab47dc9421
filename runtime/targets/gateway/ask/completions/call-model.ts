import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { Logger } from '../../../../serve/log.ts';
import { restoreAnswer } from '../guardrails/mask/restore-answer.ts';
import { restoreStream } from '../guardrails/mask/restore-stream.ts';
import type { HeldModels } from '../models/model-set.ts';
import type { StreamedAnswer, WholeAnswer } from '../providers/provider.ts';
import type { Resolved, Target } from '../routing/routing.ts';
import type { StreamSummary } from '../streams/stream.ts';
import type { RequestAccount } from './account.ts';
import type { CompletionAnswer, CompletionRequest } from './completion.ts';
import type { ModelCall, EndpointRules } from './endpoints/endpoint.ts';
import type { AnswerKeeper } from './keep-answer.ts';
import type { ExpectedTokens } from './priced-targets.ts';
import { createRejectedAnswers } from './rejected-answers.ts';
import type { PromptRecord } from './prompt-record.ts';
import { type GuardedInput, setVerdictsHeader } from './guarded-input.ts';
import type { Outcome } from './usage-entries.ts';

export interface CallModelParts {
  readonly request: CompletionRequest;
  readonly rules: EndpointRules;
  readonly resolved: Resolved;
  readonly call: ModelCall;
  readonly guarded: GuardedInput;
  /** Undefined if the answer is not cached. */
  readonly keeper?: AnswerKeeper | undefined;
  readonly expected: ExpectedTokens;
  /** Undefined if the request is not stored. */
  readonly prompt: PromptRecord | undefined;
  readonly account: RequestAccount;
  /** Released when the answer has ended. */
  readonly held: HeldModels;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Calls the model and settles the usage before the client has the end of the answer. Throws if no model answered. */
export async function callModel(parts: CallModelParts): Promise<CompletionAnswer> {
  const { rules, call, account, held } = parts;
  let { resolved } = parts;
  /** Answers whose form was wrong, after which the model is called again. They are billed together. */
  const rejected = createRejectedAnswers(parts.expected);
  for (;;) {
    const { answer, target } = await rules.call(held.set.router, resolved, call, {
      onAttempt: account.attempted,
    });
    if (answer.kind === 'failed') {
      const { kind, error } = answer.failure;
      const isBilled = kind === 'answer_too_large' || rejected.count() > 0;
      // The model generated an answer, so the provider bills it.
      if (isBilled) {
        account.answeredBy(target.key);
        const summary = kind === 'answer_too_large' ? undefined : rejected.summary();
        await account.settle({ ...unread(target), answered: { key: target.key, summary }, error });
      }
      throw error;
    }
    account.answeredBy(target.key);
    reportDropped(parts, target, answer.droppedTools);
    if (answer.kind === 'stream') return begin(parts, answer, target);
    const checked = await checkOutput(parts, answer.text);
    if (checked.error && rejected.count() < checked.retries) {
      rejected.add(target.key, answer.summary);
      // The same target, so that one price applies.
      resolved = { ...resolved, targets: [target] };
      continue;
    }
    const summary = rejected.with(target.key, answer.summary);
    return await finish(parts, { ...answer, summary }, target, checked.error);
  }
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
export const DROPPED_HEADER = 'X-Gateway-Dropped-Tools';

const unread = ({ key }: Target): Omit<Outcome, 'error'> => ({
  answered: { key, summary: undefined },
  streamed: false,
  firstByteMs: undefined,
});

async function finish(
  { guarded, prompt, account, held, keeper }: CallModelParts,
  { bytes, type, text, summary, droppedTools = [] }: WholeAnswer,
  { key }: Target,
  error: AppError | undefined,
): Promise<CompletionAnswer> {
  await account.settle({ answered: { key, summary }, error, streamed: false, firstByteMs: undefined });
  prompt?.end(key, text, error);
  if (error) throw error;
  account.whenRecorded(held.release);
  keeper?.whole(bytes, { key, summary, droppedTools });
  const { placeholders } = guarded;
  return { kind: 'whole', bytes: placeholders ? restoreAnswer(bytes, placeholders) : bytes, type };
}

interface OutputResult {
  /** Why the answer is not sent; undefined if it is. */
  readonly error: AppError | undefined;
  readonly retries: number;
}

async function checkOutput(
  { request, guarded: { rules, verdicts: ofInput }, held: { set } }: CallModelParts,
  text: string,
): Promise<OutputResult> {
  if (rules.length === 0) return { error: undefined, retries: 0 };
  try {
    const { verdicts, blocked, retries } = await set.guardrails.checkOutput(rules, text, request);
    setVerdictsHeader(request, [...ofInput, ...verdicts]);
    return { error: blocked, retries };
  } catch (thrown) {
    // The model generated the answer, so the provider bills it.
    return { error: AppError.from(thrown), retries: 0 };
  }
}

function begin(
  { request, guarded, prompt, account, held, keeper, clock, log }: CallModelParts,
  { stream, type, droppedTools = [] }: StreamedAnswer,
  { key }: Target,
): CompletionAnswer {
  const { requestId, startedAt } = request;
  const firstByteMs = clock.now() - startedAt;
  const guard = held.set.guardrails.streamGuard(guarded.rules, request, (verdicts) => {
    // Verdicts are logged only: the headers of a stream are already sent.
    for (const verdict of verdicts)
      if (!verdict.valid) log.warn({ requestId, ...verdict }, 'guardrail flagged a stream');
  });
  let complete: StreamSummary | undefined;
  const events = stream.forward({
    clock,
    guard: prompt ? prompt.collect(guard) : guard,
    async settle(summary) {
      const error = errorOf(summary);
      try {
        if (summary.outcome === 'complete') complete = summary;
        await account.settle({ answered: { key, summary }, error, streamed: true, firstByteMs });
      } finally {
        prompt?.end(key, prompt.collected(), error);
        account.whenRecorded(held.release);
      }
    },
  });
  const kept = keeper?.stream(events, () => complete && { key, summary: complete, droppedTools }) ?? events;
  const { placeholders } = guarded;
  return { kind: 'stream', events: placeholders ? restoreStream(kept, placeholders) : kept, type };
}

function errorOf({ outcome, error }: StreamSummary): AppError | undefined {
  if (outcome === 'complete') return undefined;
  return error ?? new AppError('CancelledError', 'Client disconnected.', { reason: 'client_left' });
}
