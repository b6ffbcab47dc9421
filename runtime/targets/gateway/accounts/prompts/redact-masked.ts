import type { TextSpan } from '#serve/redact.ts';
import { type PromptRedaction, REDACTED, redactText, secretsIn } from './redact-prompt.ts';

/** Placeholder values. */
export type Unmasking = ReadonlyMap<string, string>;

/** The values behind the placeholders; undefined if nothing was masked. */
export const unmasking = (masked: ReadonlyMap<string, string> | undefined): Unmasking | undefined =>
  masked && masked.size > 0
    ? new Map([...masked].map(([value, placeholder]) => [placeholder, value]))
    : undefined;

/** The format of all placeholders, e.g. `[PER_1]`. */
const PLACEHOLDER = /\[[A-Z\d_]+_\d+\]/g;

/**
 * Redacts a text with placeholders. A mask can cut a secret into pieces that no pattern recognizes, so
 * secrets are searched for in the original text. A placeholder is kept, unless it is part of a secret.
 */
export async function redactMasked(
  text: string,
  masks: Unmasking | undefined,
  redaction: PromptRedaction,
): Promise<string> {
  const original = masks && unmask(text, masks);
  if (!original) return await redactText(text, redaction);
  const secrets = joined(await secretsIn(original.text, redaction), original.masked);
  let out = '';
  let at = 0;
  for (const { start, end, shown = REDACTED } of [...secrets].toSorted(
    (one, other) => one.start - other.start,
  )) {
    out += original.text.slice(at, start) + shown;
    at = end;
  }
  return await redactText(out + original.text.slice(at), redaction);
}

interface ShownSpan extends TextSpan {
  /** Replacement text to store for the span. Default: a note that it was redacted. */
  readonly shown?: string;
}

/** The text before masking, and where it was masked; undefined if it has no placeholders. */
function unmask(
  text: string,
  masks: Unmasking,
): { readonly text: string; readonly masked: readonly ShownSpan[] } | undefined {
  const masked: ShownSpan[] = [];
  let original = '';
  let at = 0;
  for (const { 0: shown, index } of text.matchAll(PLACEHOLDER)) {
    const value = masks.get(shown);
    if (value === undefined) continue;
    original += text.slice(at, index);
    masked.push({ start: original.length, end: original.length + value.length, shown });
    original += value;
    at = index + shown.length;
  }
  return masked.length === 0 ? undefined : { text: original + text.slice(at), masked };
}

/** Non-overlapping spans: secrets with whatever overlaps them, and placeholders of all other values. */
function joined(secrets: readonly TextSpan[], masked: readonly ShownSpan[]): readonly ShownSpan[] {
  // A mask that hides all of a secret is sufficient.
  const left = secrets.filter(
    (secret) => !masked.some(({ start, end }) => start <= secret.start && secret.end <= end),
  );
  const spans = [...left, ...masked].toSorted((one, other) => one.start - other.start);
  const result: ShownSpan[] = [];
  for (const span of spans) {
    const last = result.at(-1);
    if (!last || span.start >= last.end) result.push(span);
    else result[result.length - 1] = { start: last.start, end: Math.max(last.end, span.end) };
  }
  return result;
}
