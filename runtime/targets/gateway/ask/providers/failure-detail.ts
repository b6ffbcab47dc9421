import type { Redact } from './redact.ts';

/** So many bytes of a body show what answered: an error of the API, or the page of a proxy. */
const MAX_BODY_BYTES = 1000;

/** Why a call failed, for logs and administrators: class, code, address and text of what was thrown, with its causes. */
export function describeThrown(error: unknown): string {
  const parts: string[] = [];
  for (let at = error; at instanceof Error && parts.length < MAX_CAUSES; at = at.cause)
    parts.push(describe(at));
  return parts.length === 0 ? String(error) : parts.join(', caused by ');
}

const MAX_CAUSES = 4;

function describe(error: Error): string {
  // What is thrown where a host has several addresses and none answers.
  if (error instanceof AggregateError && error.errors.length > 0)
    return error.errors.map((one) => describeThrown(one)).join('; ');
  const { code } = error as { code?: unknown };
  const name =
    typeof code === 'string' && !error.message.includes(code) ? `${error.name} ${code}` : error.name;
  return error.message === '' ? name : `${name}: ${error.message}`;
}

/** What a provider answered, shortened and without secrets. */
export function describeAnswer(status: number, body: Uint8Array, redact: Redact): string {
  const text = Buffer.from(body.subarray(0, MAX_BODY_BYTES)).toString('utf8');
  return redact(text === '' ? `status ${status} without a body` : `status ${status}: ${text}`);
}
