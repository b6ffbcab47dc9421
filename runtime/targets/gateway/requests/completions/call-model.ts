import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { GuardrailVerdict, OutputMasking } from '../guardrails/guardrail.ts';
import { restoreAnswer, restoreStream } from '../guardrails/mask/restore.ts';
import type { HeldModels } from '../models/model-set.ts';
import type { StreamedAnswer, WholeAnswer } from '../../providers/adapters/provider.ts';
import type { Attempt, Resolved, Target } from '../routing/routing.ts';
import type { ObjectMasks } from '../../accounts/objects/object-masks.ts';
import type {
  AnswerSummary,
  StreamSummary,
  CountedTokens,
  StreamError,
} from '../../providers/streams/stream.ts';
import type { RequestAccount } from './account.ts';
import { NO_ROOM, type QueuedRequest } from '../routing/queued-request.ts';
import { DROPPED_HEADER, type CompletionAnswer, type CompletionRequest } from './completion.ts';
import type { ModelCall, EndpointRules } from './endpoints/endpoint.ts';
import type { AnswerKeeper } from './cached-request.ts';
import type { ExpectedTokens } from './estimate.ts';
import { setVerdictsHeader, type Screened } from '../policy/policy.ts';
import type { Passed } from '../../providers/shapes/passed.ts';
import type { ResponseTap } from './sampled-requests.ts';
import { tokensOf, type Outcome } from './settle-request.ts';

export interface CallModelParts {
  readonly request: CompletionRequest;
  readonly rules: EndpointRules;
  readonly resolved: Resolved;
  readonly call: Passed<ModelCall>;
  readonly screened: Screened;
  /** Undefined if the response is not cached. */
  readonly keeper?: AnswerKeeper | undefined;
  /** Undefined if the response is not compared with another model's. */
  readonly tap?: ResponseTap | undefined;
  readonly expected: ExpectedTokens;
  readonly account: RequestAccount;
  /** Set if the request waits while the providers have no room. */
  readonly queued?: QueuedRequest | undefined;
  readonly objectMasks: Pick<ObjectMasks, 'keep'>;
  /** Released when the response has ended. */
  readonly held: HeldModels;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * Calls the model and settles the usage before the client receives the end of the response. Throws if no
 * model responded.
 */
export async function callModel(parts: CallModelParts): Promise<CompletionAnswer> {
  const { rules, call, account, held } = parts;
  let { resolved } = parts;
  /**
   * Responses with an invalid format, each followed by another model call. All of them are billed together.
   */
  const rejected = createRejectedAnswers(parts.expected);
  for (;;) {
    const { answer, target, attempts } = await rules.call(held.set.router, resolved, call, {
      owner: call.owner,
      onCall: account.calling,
      onAttempt: account.attempted,
    });
    if (answer.kind === 'failed') {
      const { kind, error } = answer.failure;
      if (parts.queued && NO_ROOM.has(kind)) {
        // The reservation is kept: the request has had its turn, and must not fail for another reason now.
        await parts.queued.waitAfter(error);
        continue;
      }
      reportNoRetry(parts.request, attempts);
      const isBilled = kind === 'answer_too_large' || rejected.count() > 0;
      // The model generated a response, so the provider bills it.
      if (isBilled) {
        account.answeredBy(target.key);
        const summary = kind === 'answer_too_large' ? undefined : rejected.summary();
        const { providerKey } = answer.failure;
        await account.settle({
          ...unread(target),
          answered: { key: target.key, summary, providerKey },
          error,
        });
      }
      throw error;
    }
    parts.queued?.end(true);
    account.answeredBy(target.key);
    reportDropped(parts, target, answer.droppedTools);
    if (answer.kind === 'stream') return begin(parts, answer, target);
    const checked = await checkOutput(parts, answer);
    if (checked.error && rejected.count() < checked.retries) {
      rejected.add(target.key, answer.summary);
      // The same target is called again, so that a single price applies.
      resolved = { ...resolved, targets: [target] };
      continue;
    }
    const summary = rejected.with(target.key, answer.summary);
    const { bytes, text, error } = checked;
    return await finish(parts, { ...answer, bytes, text, summary }, target, error);
  }
}

/** Sets a header that states why a failed request was not retried. */
function reportNoRetry({ setHeader }: CompletionRequest, attempts: readonly Attempt[]): void {
  const last = attempts.at(-1);
  // An operator can raise a retry budget, so an exhausted one is reported even if a fallback failed for
  // another reason.
  const reason = attempts.some(({ noRetry }) => noRetry === 'budget_spent')
    ? 'budget_spent'
    : last?.outcome === 'skipped'
      ? last.failure
      : last?.noRetry;
  if (reason !== undefined) setHeader(NO_RETRY_HEADER, reason);
}

const NO_RETRY_HEADER = 'X-Gateway-No-Retry';

/** Reports to the client and in the log which tools were not passed to the model. */
function reportDropped(
  { request, log }: CallModelParts,
  { key }: Target,
  tools: readonly string[] = [],
): void {
  if (tools.length === 0) return;
  const { requestId, setHeader } = request;
  setHeader(DROPPED_HEADER, [...new Set(tools)].join(', ').replaceAll(/[^\w ,.-]/g, '_'));
  log.info({ requestId, model: key, tools }, 'dropped tools that the provider cannot run');
}

const unread = ({ key }: Target): Omit<Outcome, 'error'> => ({
  answered: { key, summary: undefined },
  streamed: false,
  firstByteMs: undefined,
});

/**
 * If the provider stores the response to a request, stores what was masked in the request, so that it can
 * be restored when the user retrieves the response again.
 */
async function keepMasks(
  { screened: { guarded, content }, objectMasks, request, log }: CallModelParts,
  summary: AnswerSummary | undefined,
): Promise<void> {
  const values = guarded.placeholders?.restored() ?? [];
  const { guardrails } = content.body;
  if (!summary?.stored || (values.length === 0 && guardrails === undefined)) return;
  const masks = { customId: '', values, ...(guardrails !== undefined && { guardrails }) };
  try {
    await objectMasks.keep({ kind: 'response', id: summary.stored.id }, [masks]);
  } catch (error) {
    log.error({ requestId: request.requestId, err: error }, 'masked values of a stored response not saved');
  }
}

async function finish(
  parts: CallModelParts,
  { bytes, type, text, summary, droppedTools = [], providerKey }: WholeAnswer,
  { key }: Target,
  error: AppError | undefined,
): Promise<CompletionAnswer> {
  const {
    screened: { guarded, hits, prompt },
    account,
    held,
    keeper,
    tap,
  } = parts;
  hits.end();
  await keepMasks(parts, summary);
  const answered = { key, summary, providerKey };
  await account.settle({ answered, error, streamed: false, firstByteMs: undefined });
  prompt?.end(key, text, error);
  if (error) throw error;
  account.whenRecorded(held.release);
  keeper?.whole(bytes, { key, summary, droppedTools });
  tap?.whole(bytes, { key, summary });
  const { placeholders } = guarded;
  const isRestored = placeholders?.hasRestored() === true;
  return { kind: 'whole', bytes: isRestored ? restoreAnswer(bytes, placeholders, type) : bytes, type };
}

interface OutputResult {
  /** The response and its text, after masking. */
  readonly bytes: Uint8Array;
  readonly text: string;
  /** The error that is sent instead of the response; undefined if the response is sent. */
  readonly error: AppError | undefined;
  readonly retries: number;
}

/** Masks a response, then checks the masked text. */
async function checkOutput(parts: CallModelParts, answer: WholeAnswer): Promise<OutputResult> {
  const { request, screened, held } = parts;
  const { guarded, hits } = screened;
  const { guardrails } = held.set;
  const { rules } = guarded;
  const { bytes, text } = answer;
  if (rules.length === 0) return { bytes, text, error: undefined, retries: 0 };
  let written: Pick<OutputResult, 'bytes' | 'text'> = { bytes, text };
  try {
    const masked = await guardrails.maskOutput(rules, answer, outputMasking(parts));
    if (masked) written = { bytes: masked.bytes, text: masked.text };
    const report = (verdicts: readonly GuardrailVerdict[]): void =>
      setVerdictsHeader(request, [...guarded.verdicts, ...(masked?.verdicts ?? []), ...verdicts]);
    report([]);
    hits.add(masked?.verdicts ?? []);
    if (masked?.blocked) return { ...written, error: masked.blocked, retries: 0 };
    const { verdicts, blocked, retries } = await guardrails.checkOutput(rules, written.text, request);
    report(verdicts);
    hits.add(verdicts);
    return { ...written, error: blocked, retries };
  } catch (thrown) {
    // The model generated the response, so the provider bills it.
    return { ...written, error: AppError.from(thrown), retries: 0 };
  }
}

const outputMasking = ({ request, call, screened }: CallModelParts): OutputMasking => ({
  request,
  body: call.body,
  placeholders: screened.guarded.masks,
});

function begin(
  parts: CallModelParts,
  { stream, type, droppedTools = [], providerKey }: StreamedAnswer,
  { key }: Target,
): CompletionAnswer {
  const { request, screened, account, held, keeper, tap, clock, log } = parts;
  const { guarded, hits, prompt } = screened;
  const { requestId, startedAt } = request;
  const firstByteMs = clock.now() - startedAt;
  const { guardrails } = held.set;
  // Verdicts are only logged, because a stream's headers have already been sent.
  const report = (verdicts: readonly GuardrailVerdict[]): void => {
    hits.add(verdicts);
    for (const verdict of verdicts)
      if (!verdict.valid) log.warn({ requestId, ...verdict }, 'guardrail flagged a stream');
  };
  const { rules } = guarded;
  const isChecked = rules.length > 0;
  const guard = isChecked ? guardrails.streamGuard(rules, request, report) : undefined;
  const mask = isChecked ? guardrails.streamMask(rules, outputMasking(parts), report) : undefined;
  let complete: StreamSummary | undefined;
  const events = stream.forward({
    clock,
    guard: prompt ? prompt.collect(guard) : guard,
    onBegin: account.streaming,
    mask,
    async settle(summary) {
      const error = errorOf(summary);
      try {
        if (summary.outcome === 'complete') complete = summary;
        await keepMasks(parts, summary);
        const answered = { key, summary, providerKey };
        await account.settle({ answered, error, streamed: true, firstByteMs });
      } finally {
        hits.end();
        prompt?.end(key, prompt.collected(), error);
        account.whenRecorded(held.release);
      }
    },
  });
  const kept = keeper?.stream(events, () => complete && { key, summary: complete, droppedTools }) ?? events;
  const sent = tap?.stream(kept, firstByteMs, () => complete && { key, summary: complete }) ?? kept;
  const { placeholders } = guarded;
  // Byte streams without events are audio.
  const isRestored = placeholders?.hasRestored() === true && type === undefined;
  return { kind: 'stream', events: isRestored ? restoreStream(sent, placeholders) : sent, type };
}

function errorOf({ outcome, error }: StreamSummary): AppError | undefined {
  if (outcome === 'complete') return undefined;
  return error ?? new AppError('CancelledError', 'Client disconnected.', { reason: 'client_left' });
}

/** Responses rejected by a guardrail, each of which the provider bills. */
interface RejectedAnswers {
  readonly count: () => number;
  add(key: string, summary: AnswerSummary): void;
  /** A response's summary, including the tokens of all rejected responses. */
  with(key: string, summary: AnswerSummary): AnswerSummary;
  /** The combined summary of the rejected responses; undefined if there are none. */
  summary(): AnswerSummary | undefined;
}

function createRejectedAnswers(expected: ExpectedTokens): RejectedAnswers {
  const counts: CountedTokens[] = [];
  let last: AnswerSummary | undefined;
  const summed = (summary: AnswerSummary, all: readonly CountedTokens[]): AnswerSummary => {
    const sum = (read: (tokens: CountedTokens) => number): number =>
      all.reduce((total, tokens) => total + read(tokens), 0);
    const usage = {
      promptTokens: sum((tokens) => tokens.promptTokens),
      completionTokens: sum((tokens) => tokens.completionTokens),
      cachedTokens: sum((tokens) => tokens.cachedTokens),
      cacheWriteTokens: sum((tokens) => tokens.cacheWriteTokens),
      cacheWrite1hTokens: sum((tokens) => tokens.cacheWrite1hTokens),
      reasoningTokens: 0,
    };
    return { ...summary, usage };
  };
  return {
    count: () => counts.length,
    add(key, summary) {
      counts.push(tokensOf(key, summary, expected));
      last = summary;
    },
    with: (key, summary) =>
      counts.length === 0 ? summary : summed(summary, [...counts, tokensOf(key, summary, expected)]),
    summary: () => last && summed(last, counts),
  };
}

/**
 * The error for a request whose response has already started. It is sent as an event in place of the
 * output.
 */
export const streamError = ({ code, message, reason }: AppError): StreamError =>
  code === 'InternalError'
    ? { message: 'Internal error', code: 'internal_error' }
    : { message, code: reason ?? 'provider_error' };
