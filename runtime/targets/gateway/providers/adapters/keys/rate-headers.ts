type Headers = Readonly<Record<string, string | readonly string[] | undefined>>;

/** A limit as a provider has reported it. */
interface RateLimit {
  readonly remaining: number;
  /** The limit itself, if it was reported: the rest then grows evenly until `resetsAt`. */
  readonly limit: number | undefined;
  readonly reportedAt: number;
  readonly resetsAt: number;
}

export interface RateLimits {
  readonly requests?: RateLimit | undefined;
  readonly tokens?: RateLimit | undefined;
}

interface Names {
  readonly remaining: string;
  readonly limit: string;
  readonly reset: string;
}

const openAi = (of: string): Names => ({
  remaining: `x-ratelimit-remaining-${of}`,
  limit: `x-ratelimit-limit-${of}`,
  reset: `x-ratelimit-reset-${of}`,
});
const anthropic = (of: string): Names => ({
  remaining: `anthropic-ratelimit-${of}-remaining`,
  limit: `anthropic-ratelimit-${of}-limit`,
  reset: `anthropic-ratelimit-${of}-reset`,
});

/**
 * The headers of each limit, in the order in which they are searched.
 * @see https://platform.openai.com/docs/guides/rate-limits
 * @see https://docs.anthropic.com/en/api/rate-limits
 */
const REQUESTS = [openAi('requests'), anthropic('requests')];
const TOKENS = [openAi('tokens'), anthropic('input-tokens'), anthropic('tokens')];

/** Without a time in the response, a limit is assumed to change within this time. */
const UNKNOWN_RESET_MS = 10_000;

/** Limits per day reset later, but keys are tried again sooner. */
const MAX_RESET_MS = 3_600_000;

/** Reads the limits from response headers; undefined without any. Invalid values are ignored. */
export function readRateLimits(headers: Headers, now: number): RateLimits | undefined {
  const requests = limitIn(headers, REQUESTS, now);
  const tokens = limitIn(headers, TOKENS, now);
  return requests || tokens ? { requests, tokens } : undefined;
}

function limitIn(headers: Headers, all: readonly Names[], now: number): RateLimit | undefined {
  for (const names of all) {
    const remaining = countIn(headers[names.remaining]);
    if (remaining === undefined) continue;
    const wait = waitIn(headers[names.reset], now) ?? UNKNOWN_RESET_MS;
    const resetsAt = now + Math.min(MAX_RESET_MS, Math.max(0, wait));
    return { remaining, limit: countIn(headers[names.limit]), reportedAt: now, resetsAt };
  }
  return undefined;
}

/** What is left of a limit now; undefined if it has been reset since. */
export function remainingAt({ remaining, limit, reportedAt, resetsAt }: RateLimit, now: number) {
  if (now >= resetsAt) return undefined;
  if (limit === undefined || limit <= remaining) return remaining;
  return remaining + ((limit - remaining) * Math.max(0, now - reportedAt)) / (resetsAt - reportedAt);
}

/** When a limit has room for an amount again, in milliseconds since 1970. */
export function roomAt({ remaining, limit, reportedAt, resetsAt }: RateLimit, amount: number): number {
  if (amount <= remaining) return reportedAt;
  if (limit === undefined || limit < amount || limit <= remaining) return resetsAt;
  return reportedAt + ((amount - remaining) / (limit - remaining)) * (resetsAt - reportedAt);
}

/** Maximum length of a value; longer ones are not numbers, durations or times. */
const MAX_LENGTH = 64;

function textIn(value: Headers[string]): string {
  const text = typeof value === 'string' ? value : (value?.[0] ?? '');
  return text.length > MAX_LENGTH ? '' : text.trim();
}

function countIn(value: Headers[string]): number | undefined {
  const text = textIn(value);
  return /^\d{1,15}$/.test(text) ? Number(text) : undefined;
}

/** Milliseconds in `6m0s`, `1.5s` or `20ms`, in a number of seconds, or until a time. */
function waitIn(value: Headers[string], now: number): number | undefined {
  const text = textIn(value);
  if (text === '') return undefined;
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text) * 1000;
  const parts = [...text.matchAll(/(\d{1,9}(?:\.\d{1,9})?)(ms|[dhms])/g)];
  if (parts.length > 0 && parts.map(([part]) => part).join('') === text)
    return parts.reduce((sum, [, count, unit]) => sum + Number(count) * (UNITS.get(unit ?? '') ?? 0), 0);
  const time = Date.parse(text);
  return Number.isNaN(time) ? undefined : time - now;
}

const UNITS = new Map([
  ['ms', 1],
  ['s', 1000],
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
]);
