import type { Redact } from './redact.ts';
import { errorCode } from '#core/values/error-code.ts';

/** Maximum bytes of a body in a log: enough to distinguish an error of the API from a page of a proxy. */
const MAX_BODY_BYTES = 1000;

/** Describes an error for logs and administrators: class, code and message, with its causes. */
export function describeThrown(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < MAX_CAUSES; at = at.cause)
    parts.push(describe(at));
  return parts.length === 0 ? String(error) : parts.join(', caused by ');
}

const MAX_CAUSES = 4;

function describe(error: Error): string {
  // Node throws an AggregateError when a host has several addresses and none accepts the connection.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((one) => describeThrown(one)).join('; ');
  const code = errorCode(error);
  const name = code !== undefined && !error.message.includes(code) ? `${error.name} ${code}` : error.name;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

/** Describes a provider's answer for logs and administrators: status and body, shortened and without secrets. */
export function describeAnswer(status: number, body: Uint8Array, redact: Redact): string {
  const text = Buffer.from(body.subarray(0, MAX_BODY_BYTES)).toString('utf8');
  return redact(text === '' ? `status ${status} without a body` : `status ${status}: ${text}`);
}
