import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';

const REASON = 'access_refused';

/**
 * The error for missing, invalid or rejected credentials. Its message is for administrators and never
 * contains a secret.
 */
export const accessRefused = (message: string, cause?: unknown): AppError =>
  new AppError('UpstreamError', message, { reason: REASON, cause });

export const isAccessRefused = (error: unknown): error is AppError =>
  error instanceof AppError && error.reason === REASON;

/** A token or key that expires. */
export interface Expiring<Value> {
  readonly value: Value;
  /** In milliseconds since 1970; undefined if the token or key does not expire. */
  readonly expiresAt: number | undefined;
}

/** A value that is renewed before it expires. */
export interface Renewed<Value> {
  /** Returns the current value. Rejects if there is no valid value and a new one cannot be fetched. */
  get(): Promise<Value>;
  /** Discards the value, because the server rejected it. */
  forget(): void;
}

/**
 * How long before its expiration a value is renewed. Short-lived values are renewed after three quarters of
 * their lifetime instead.
 */
const RENEW_MS = 5 * 60_000;

/** Delay after a failed renewal while the old value is still valid. */
const RETRY_MS = 10_000;

/**
 * Fetches a value when it is first needed, once for all waiting requests, and renews it in the background
 * while the old one is still valid, so that no request waits for the renewal.
 */
export function createRenewed<Value>(fetch: () => Promise<Expiring<Value>>, clock: Clock): Renewed<Value> {
  let current: (Expiring<Value> & { readonly renewAt: number }) | undefined;
  let fetching: Promise<Value> | undefined;
  let pausedUntil = 0;

  const renew = (): Promise<Value> => {
    fetching ??= fetchOnce().finally(() => (fetching = undefined));
    return fetching;
  };
  const fetchOnce = async (): Promise<Value> => {
    const now = clock.now();
    const fetched = await fetch();
    const { expiresAt = Infinity } = fetched;
    current = { ...fetched, renewAt: expiresAt - Math.min(RENEW_MS, (expiresAt - now) / 4) };
    return fetched.value;
  };
  return {
    get() {
      const now = clock.now();
      if (!current || now >= (current.expiresAt ?? Infinity)) return renew();
      if (now >= current.renewAt && now >= pausedUntil) {
        renew().catch(() => (pausedUntil = clock.now() + RETRY_MS));
      }
      return Promise.resolve(current.value);
    },
    forget: () => (current = undefined),
  };
}

/**
 * Parses the token in an OAuth server's response. Its lifetime is counted from the time of the request.
 */
export function expiringToken(
  { access_token: token, expires_in: seconds }: Readonly<Record<string, unknown>>,
  requestedAt: number,
  server: string,
): Expiring<string> {
  if (typeof token !== 'string' || token === '')
    throw accessRefused(`The response from ${server} does not contain a token.`);
  const life = Number(seconds);
  return { value: token, expiresAt: requestedAt + (life > 0 ? life : 300) * 1000 };
}
