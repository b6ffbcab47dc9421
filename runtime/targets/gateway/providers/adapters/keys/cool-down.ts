import { lookup } from '#core/values/lookup.ts';
import type { FailureKind } from '../provider.ts';

/** The requests that use a key last after a failure. */
type Scope =
  /** All requests. */
  | 'key'
  /** Requests to the same model. */
  | 'model'
  /**
   * Requests of the same payer to the same model, because the request itself can have caused the failure. If
   * requests of two payers fail without a success in between, the scope is the model.
   */
  | 'payer';

export interface CoolDown {
  readonly scope: Scope;
  /** Time for the first failure in milliseconds; it doubles with each further one. */
  readonly first: number;
  readonly longest: number;
  /** Whether the same request is sent with another key. */
  readonly triesNext: boolean;
}

const MINUTE = 60_000;

/**
 * How long a key is used last after a failure. Failures of the server are not tried with another key
 * immediately, because the router retries them, after a delay and within its retry budget.
 */
const COOL_DOWNS = lookup<Omit<CoolDown, 'scope'>>({
  rate_limited: { first: 1000, longest: MINUTE, triesNext: true },
  credentials: { first: MINUTE, longest: 60 * MINUTE, triesNext: true },
  billing: { first: 5 * MINUTE, longest: 60 * MINUTE, triesNext: true },
  overloaded: { first: 1000, longest: MINUTE / 2, triesNext: false },
  provider_error: { first: 1000, longest: MINUTE / 2, triesNext: false },
  stream_incomplete: { first: 1000, longest: MINUTE / 2, triesNext: false },
  timeout: { first: 1000, longest: MINUTE / 2, triesNext: false },
} satisfies Partial<Record<FailureKind, Omit<CoolDown, 'scope'>>>);

/** Maximum time for a pause that a provider requests. The key should be tried again sooner than in a day. */
export const MAX_PAUSE_MS = 60 * MINUTE;

/** The consequences of a failure for a key; undefined if the failure has nothing to do with the key. */
export function coolDownAfter(kind: FailureKind, status: number | undefined): CoolDown | undefined {
  const times = COOL_DOWNS[kind];
  return times && { ...times, scope: scopeOf(kind, status) };
}

/**
 * Only these statuses concern the key for certain. Messages of others can repeat words from the request, and
 * some providers return 403 for a request that their moderation rejects.
 */
function scopeOf(kind: FailureKind, status: number | undefined): Scope {
  if (kind === 'rate_limited') return 'model';
  if (status === 401 || status === 402) return 'key';
  return kind === 'billing' && status === 429 ? 'key' : 'payer';
}
