import { AppError, messageOf } from '#contract/errors.ts';
import type { FailureKind, ProviderFailure } from '../../../providers/adapters/provider.ts';
import { notPublic } from './address.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Whether a call failed because the address is not allowed. */
export const isRefusedAddress = ({ error }: ProviderFailure): boolean => hasCause(error, 'ConfigError');

/** Whether a call failed because a started executable has ended and is being restarted. */
export const isDown = ({ error }: ProviderFailure): boolean => hasCause(error, 'UnavailableError');

/** Whether a call failed because a budget or an account is spent. Requests succeed again when it has money. */
export const isSpent = ({ kind, text = '' }: ProviderFailure): boolean =>
  kind === 'billing' && !NEVER_AFFORDABLE.test(text);

/** Messages of the gateway for requests that no payment for the same budget allows. */
const NEVER_AFFORDABLE = /has no price|has a budget of/;

const hasCause = ({ cause }: AppError, code: AppError['code']): boolean =>
  cause instanceof AppError && cause.code === code;

/** The error of a failed call, for the user who named the backend. It has more details than clients of the gateway get. */
export function backendError(name: string, failure: ProviderFailure): AppError {
  if (isRefusedAddress(failure)) return notPublic(name, failure.error.cause);
  const { error, retryAfterSeconds } = failure;
  const sentence = isDown(failure) ? messageOf(error.cause) : sentenceOf(name, failure);
  return new AppError(error.code, sentence, { cause: error, reason: error.reason, retryAfterSeconds });
}

function sentenceOf(name: string, { kind, error, text, upstreamStatus }: ProviderFailure): string {
  const detail = text === undefined ? '' : `: ${text}`;
  const status = upstreamStatus === undefined ? '' : ` with status ${upstreamStatus}`;
  const sentences: Partial<Record<FailureKind, string>> = {
    unreachable: `${name} is unreachable${codeOf(error.cause)}.`,
    timeout: `${name} did not answer in time.`,
    rate_limited: `${name} rate-limited the request${detail}`,
    provider_error: status ? `${name} failed${status}${detail}` : `${name} returned an invalid response.`,
    answer_too_large: `${name} returned a response that is too large.`,
    credentials: `${name} ${upstreamStatus === 403 ? 'denied access' : 'rejected the credential'}${status}${detail}`,
    billing: /\bbudget\b/i.test(detail)
      ? `The budget does not allow the request to ${lowerFirst(name)}${detail}`
      : `${name} rejected the account${status}${detail}`,
  };
  return sentences[kind] ?? `${name} rejected the request${status}${detail || `: ${error.message}`}`;
}

const lowerFirst = (name: string): string => name.replace(/^The /, 'the ');

function codeOf(cause: unknown): string {
  const code = cause instanceof Error ? errorCode(cause) : undefined;
  return code === undefined ? '' : ` (${code})`;
}
