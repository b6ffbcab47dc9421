import type { AppError } from '../../../contract/errors.ts';
import { costOf, type TokenPrice } from '../../../core/money.ts';
import { estimateTokens } from '../../../core/token-estimate.ts';
import { HTTP_STATUS } from '../../../serve/errors/http-status.ts';
import type { UsageEntry } from '../ledger/api.ts';
import type { Attempt } from '../routing/api.ts';
import type { AnswerSummary, CountedTokens } from '../streams/api.ts';
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

/** Rows for the accounts: attempts that failed, and last the request itself. */
export function usageEntries(facts: RequestFacts, outcome: Outcome): UsageEntry[] {
  const { attempts } = facts;
  const failed = attempts.filter((attempt) => attempt.outcome === 'failed');
  const { answered, error } = outcome;
  // The one that answered, be it too much, or failed last is what became of the request.
  const before = answered ? failed.filter((each) => each !== attempts.at(-1)) : failed.slice(0, -1);
  const last = failed.at(-1) ?? attempts.at(-1);
  const key = answered?.key ?? last?.target ?? [...facts.prices.keys()][0] ?? '';
  const tokens = answered && tokensOf(answered.summary, facts.expected);
  const own: UsageEntry = {
    ...about(facts, key),
    promptTokens: tokens?.promptTokens ?? null,
    completionTokens: tokens?.completionTokens ?? null,
    cachedTokens: tokens?.cachedTokens ?? null,
    cost: tokens ? priceOf(tokens, facts.prices.get(key)) : null,
    status: error ? 'error' : 'success',
    errorMessage: error ? toldMessage(error) : null,
    statusCode: error ? HTTP_STATUS[error.code] : 200,
    latencyMs: facts.now - facts.startedAt,
    ttftMs: outcome.firstByteMs ?? null,
    estimated: answered !== undefined && isEstimated(answered.summary),
  };
  return [...before.map((attempt) => failedEntry(facts, attempt)), own];
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
  };
}

/** Who wrote nothing need not tell how much that is. */
const isEstimated = (summary: AnswerSummary | undefined): boolean =>
  summary?.usage?.promptTokens === undefined ||
  (summary.usage.completionTokens === undefined && summary.outputLength > 0);

export function priceOf(tokens: CountedTokens, price: TokenPrice | undefined): bigint | null {
  if (price === undefined) return null;
  const { promptTokens: input, cachedTokens: cachedInput, completionTokens: output } = tokens;
  return costOf({ input, cachedInput, output }, price);
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

const failedEntry = (facts: RequestFacts, attempt: Attempt): UsageEntry => ({
  ...about(facts, attempt.target),
  promptTokens: null,
  completionTokens: null,
  cost: null,
  status: 'error',
  errorMessage: attempt.failure ?? null,
  statusCode: attempt.upstreamStatus ?? null,
  latencyMs: attempt.durationMs,
});
