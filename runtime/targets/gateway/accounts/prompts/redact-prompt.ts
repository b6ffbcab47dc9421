import { isObject } from '#core/json/is-object.ts';
import { isRawNumber } from '#core/json/lossless-json.ts';
import { isSecretName } from '#core/text/secret-name.ts';
import { type LinearPattern, matchesOf, replaceMatches } from '#platform/linear-pattern.ts';
import { imageName } from '../../store/image-name.ts';
import type { Redactor, TextSpan } from '#serve/redact.ts';

export interface PromptRedaction {
  /** Removes the gateway's secrets. */
  readonly redactor: Pick<Redactor, 'text' | 'spans'>;
  /** Configured patterns. */
  readonly patterns: readonly LinearPattern[];
  /** When redaction gives up, in `performance.now` time. */
  readonly deadline: number;
}

export const REDACTED = '[redacted]';
/** Images and documents in a request are not text. A shorter string without a type could be a text. */
const MIN_ENCODED_LENGTH = 256;
const ENCODED = /^(?:data:[^,]{0,200},)?[A-Za-z\d+/=_\r\n-]*$/;
const DATA_URL = /^data:[^,]{0,200};base64,/i;
/**
 * This gateway's keys, also short-lived ones and those of workers, signed tokens of workloads, which are accepted like
 * keys, and keys of well-known APIs.
 */
const KEYS =
  /\b(?:gwt?-[\w-]{40,}|gwjob-[\da-f-]{36}\.\d{1,15}\.[\da-f-]{36}\.[\w-]{43}|sk-[\w-]{16,}|AIza[\w-]{30,}|gsk_\w{16,}|xai-\w{16,}|AKIA[A-Z\d]{16}|gh[opsu]_\w{30,}|(?<![\w-])eyJ[\w-]{8,1000}\.eyJ[\w-]{8,12000}\.[\w-]{16,})/g;

/**
 * Replaces secrets and everything that a pattern matches. Rejects if this takes too long; nothing must be
 * stored in that case.
 */
export async function redactText(
  text: string,
  { redactor, patterns, deadline }: PromptRedaction,
): Promise<string> {
  let out = redactor.text(text).replaceAll(KEYS, REDACTED);
  for (const pattern of patterns) out = await replaceMatches(pattern, out, REDACTED, deadline);
  return out;
}

/** Positions of secrets and pattern matches in a text. Spans can overlap. */
export async function secretsIn(
  text: string,
  { redactor, patterns, deadline }: PromptRedaction,
): Promise<TextSpan[]> {
  const spans = [...redactor.spans(text)];
  for (const { 0: found, index } of text.matchAll(KEYS))
    spans.push({ start: index, end: index + found.length });
  for (const pattern of patterns)
    for (const match of await matchesOf(pattern, text, deadline)) spans.push(match);
  return spans;
}

/**
 * Redacts every text in a request. The texts are decoded from JSON first, so that escapes do not hide
 * anything. Also replaces the values of members whose names suggest secrets, images with their names, and
 * other encoded data with its length.
 */
export async function redactRequest(
  value: unknown,
  redact: (text: string) => Promise<string>,
): Promise<unknown> {
  if (typeof value === 'string')
    return imageName(value) ?? (isEncoded(value) ? `[${value.length} characters]` : await redact(value));
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    for (const item of value) items.push(await redactRequest(item, redact));
    return items;
  }
  if (!isObject(value) || isRawNumber(value)) return value;
  const members: [string, unknown][] = [];
  for (const [name, member] of Object.entries(value)) {
    const isSecret = typeof member === 'string' && isSecretName(name);
    members.push([name, isSecret ? REDACTED : await redactRequest(member, redact)]);
  }
  return Object.fromEntries(members);
}

const isEncoded = (text: string): boolean =>
  DATA_URL.test(text) || (text.length >= MIN_ENCODED_LENGTH && ENCODED.test(text));
