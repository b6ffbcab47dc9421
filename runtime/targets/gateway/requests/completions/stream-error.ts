import type { AppError } from '#contract/errors.ts';
import type { StreamError } from '../../providers/streams/stream.ts';

/** The error of a request whose response has started, for an event in place of the answer. */
export const streamError = ({ code, message, reason }: AppError): StreamError =>
  code === 'InternalError'
    ? { message: 'Internal error', code: 'internal_error' }
    : { message, code: reason ?? 'provider_error' };
