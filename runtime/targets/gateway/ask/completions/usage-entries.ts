import type { AppError } from '../../../../contract/errors.ts';
import { costOf, type TokenPrice } from '../../shared/token-price.ts';
import { estimateTokens } from './token-estimate.ts';
import { HTTP_STATUS } from '../../../../serve/errors/http-status.ts';
import type { UsageEntry } from '../../accounts/ledger/ledger.ts';
import type { AbandonedRead } from '../providers/provider.ts';
import type { Attempt } from '../routing/routing.ts';
import type { AnswerSummary, CountedTokens } from '../streams/stream.ts';
import type { ExpectedTokens, PriceList } from './priced-targets.ts';

/** What became of a request. */
export interface Outcome {
  /** Who answered, as `provider:model`, and what it came to, if that could be read; undefined if nobody did. */
  readonly answered: { readonly key: string; readonly summary: AnswerSummary | undefined } | undefined;
  /** What the client was told instead, or at the end. */
  readonly error: AppError | undefined;
  readonly streamed: boolean;
  readonly firstByteMs: number | undefined;
}

export interface RequestFacts {
  readonly endpoint: string;
  readonly requestId: string;
  readonly startedAt: number;
  readonly attempts: readonly Attempt[];
  readonly prices: PriceList;
  readonly expected: ExpectedTokens;
  readonly now: number;
}

/** What became of answers that were read on after their client or their time was gone. */
export type AbandonedReads = ReadonlyMap<Attempt, AbandonedRead>;

/** A row of the accounts, and the attempt it is about, if a model was called at all. */
export interface UsageLine {
  readonly attempt: Attempt | undefined;
  readonly entry: UsageEntry;
}

/** The attempt that answered, be it too much, or failed last: it is what became of the request. */
export function ownAttempt(attempts: readonly Attempt[], { answered }: Outcome): Attempt | undefined {
  return answered ? attempts.at(-1) : (attempts.findLast(isFailed) ?? attempts.at(-1));
}

/** Rows for the accounts: attempts that failed, and last the request itself. */
export function usageLines(facts: RequestFacts, outcome: Outcome, reads: AbandonedReads = NONE): UsageLine[] {
  const { attempts } = facts;
  const { answered, error } = outcome;
  const last = ownAttempt(attempts, outcome);
  const before = attempts.filter((attempt) => isFailed(attempt) && attempt !== last);
  const key = answered?.key ?? last?.target ?? [...facts.prices.keys()][0] ?? '';
  const own: UsageEntry = {
    ...about(facts, key),
    ...used(facts, key, answered),
    status: error ? 'error' : 'success',
    errorMessage: error ? toldMessage(error) : null,
    errorDetail: error ? (last?.detail ?? null) : null,
    statusCode: error ? HTTP_STATUS[error.code] : 200,
    latencyMs: facts.now - facts.startedAt,
    ttftMs: outcome.firstByteMs ?? null,
    attempt: before.length + 1,
  };
  return [
    ...before.map((attempt, index) => ({
      attempt,
      entry: failedEntry(facts, attempt, reads.get(attempt), index + 1),
    })),
    { attempt: last, entry: own },
  ];
}

const NONE: AbandonedReads = new Map();

const isFailed = ({ outcome }: Attempt): boolean => outcome === 'failed';

/** Tokens and cost; of nothing if no model answered. */
function used(
  { expected, prices }: RequestFacts,
  key: string,
  answered: { readonly summary: AnswerSummary | undefined } | undefined,
): Pick<UsageEntry, keyof CountedTokens | 'cost' | 'estimated'> {
  const tokens = answered && tokensOf(answered.summary, expected);
  return {
    promptTokens: tokens?.promptTokens ?? null,
    completionTokens: tokens?.completionTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    cacheWriteTokens: tokens?.cacheWriteTokens ?? null,
    cacheWrite1hTokens: tokens?.cacheWrite1hTokens ?? null,
    cost: tokens ? priceOf(tokens, prices.get(key)) : null,
    estimated: answered !== undefined && isEstimated(answered.summary),
  };
}

/** Clients read their accounts: of our own mistakes they hear there no more than in the answer. */
const toldMessage = ({ code, message }: AppError): string =>
  code === 'InternalError' ? 'Internal error' : message;

/** As the provider told, and the rest as can be guessed from what it wrote, or was expected if that could not be read. */
export function tokensOf(
  summary: AnswerSummary | undefined,
  { prompt, output }: ExpectedTokens,
): CountedTokens {
  const usage = summary?.usage;
  return {
    promptTokens: usage?.promptTokens ?? prompt,
    completionTokens: usage?.completionTokens ?? (summary ? estimateTokens(summary.outputLength) : output),
    cachedTokens: usage?.cachedTokens ?? 0,
    cacheWriteTokens: usage?.cacheWriteTokens ?? 0,
    cacheWrite1hTokens: usage?.cacheWrite1hTokens ?? 0,
  };
}

/** Who wrote nothing need not tell how much that is. */
export const isEstimated = (summary: AnswerSummary | undefined): boolean =>
  summary?.usage?.promptTokens === undefined ||
  (summary.usage.completionTokens === undefined && summary.outputLength > 0);

export function priceOf(tokens: CountedTokens, price: TokenPrice | undefined): bigint | null {
  if (price === undefined) return null;
  const counts = {
    input: tokens.promptTokens,
    cachedInput: tokens.cachedTokens,
    cacheWrite: tokens.cacheWriteTokens,
    cacheWrite1h: tokens.cacheWrite1hTokens,
    output: tokens.completionTokens,
  };
  return costOf(counts, price);
}

export const providerOf = (key: string): string => key.slice(0, key.indexOf(':'));

const about = (
  { endpoint, requestId }: RequestFacts,
  key: string,
): Pick<UsageEntry, 'model' | 'provider' | 'endpoint' | 'requestId'> => ({
  model: key,
  provider: providerOf(key),
  endpoint,
  requestId,
});

const failedEntry = (
  facts: RequestFacts,
  attempt: Attempt,
  read: AbandonedRead | undefined,
  number: number,
): UsageEntry => ({
  ...about(facts, attempt.target),
  ...used(facts, attempt.target, read?.kind === 'answered' ? read : undefined),
  status: 'error',
  errorMessage: attempt.failure ?? null,
  errorDetail: attempt.detail ?? null,
  statusCode: attempt.upstreamStatus ?? null,
  latencyMs: attempt.durationMs,
  attempt: number,
});
