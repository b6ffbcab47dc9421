import { AppError } from '../../../../../contract/errors.ts';
import type { FailureKind, ProviderFailure } from '../../../ask/providers/provider.ts';
import { notPublic } from './address.ts';

export const isRefusedAddress = ({ error }: ProviderFailure): boolean => hasCause(error, 'ConfigError');

/** An executable that was started here has ended, and is being started again. */
export const isDown = ({ error }: ProviderFailure): boolean => hasCause(error, 'UnavailableError');

const hasCause = ({ cause }: AppError, code: AppError['code']): boolean =>
  cause instanceof AppError && cause.code === code;

/** In words for whoever named the backend, who may know more of it than clients of the gateway of its providers. */
export function askError(name: string, failure: ProviderFailure): AppError {
  if (isRefusedAddress(failure)) return notPublic(name, failure.error.cause);
  const { error, retryAfterSeconds } = failure;
  const sentence = isDown(failure) ? (error.cause as AppError).message : sentenceOf(name, failure);
  return new AppError(error.code, sentence, { cause: error, reason: error.reason, retryAfterSeconds });
}

function sentenceOf(name: string, { kind, error, text, upstreamStatus }: ProviderFailure): string {
  const said = text === undefined ? '' : `: ${text}`;
  const status = upstreamStatus === undefined ? '' : ` with status ${upstreamStatus}`;
  const sentences: Partial<Record<FailureKind, string>> = {
    unreachable: `${name} cannot be reached${codeOf(error.cause)}.`,
    timeout: `${name} did not answer in time.`,
    rate_limited: `${name} takes no more requests for now${said}`,
    provider_error: status ? `${name} failed${status}${said}` : `${name} gave no answer that can be read.`,
    answer_too_large: `${name} gave an answer that is too large.`,
    credentials: `${name} refused ${upstreamStatus === 403 ? 'access' : 'the credential'}${status}${said}`,
    billing: /\bbudget\b/i.test(said)
      ? `The budget refused the request to ${lowerFirst(name)}${said}`
      : `${name} refused the account${status}${said}`,
  };
  return sentences[kind] ?? `${name} refused the request${status}${said || `: ${error.message}`}`;
}

const lowerFirst = (name: string): string => name.replace(/^The /, 'the ');

function codeOf(cause: unknown): string {
  const { code } = (cause instanceof Error ? cause : {}) as { readonly code?: unknown };
  return typeof code === 'string' ? ` (${code})` : '';
}
