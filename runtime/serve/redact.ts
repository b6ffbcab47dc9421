import { isRawNumber } from '#core/json/lossless-json.ts';
import type { Secret } from '#core/text/redactions.ts';
import { contextPattern, wordPattern } from './redaction-patterns.ts';

/**
 * Removes secrets from text for users. Text about one server, named by `owner`, is searched for
 * that server's secrets and for distinctive secrets of others; other text is searched for all
 * secrets.
 */
export interface Redactor {
  readonly text: (text: string, owner?: string) => string;
  /** Removes secrets from all strings in a value, including keys, and from numbers. */
  readonly value: (value: unknown, owner?: string) => unknown;
  /** Returns the positions of secrets in a text. */
  readonly spans: (text: string) => readonly TextSpan[];
  /** Sets the current secrets. Earlier secrets are still redacted, because servers may still print them. */
  readonly learn: (secrets: readonly Secret[]) => void;
}

/** A part of a text, in UTF-16 code units. */
export interface TextSpan {
  readonly start: number;
  readonly end: number;
}

const REDACTED = '[redacted]';
/** A private-use character that replaces each character of a secret. */
const FILLER = '\u{E000}';

export function createRedactor(secrets: readonly Secret[] = []): Redactor {
  const known = new Map<string, Secret>();
  const compiled = new Map<string | undefined, (text: string) => string>();
  /** Replaces secrets with texts of the same length. */
  let filling: ((text: string) => string) | undefined;
  const learn: Redactor['learn'] = (more) => {
    const before = known.size;
    for (const secret of more) known.set(JSON.stringify(secret), secret);
    if (known.size === before) return;
    compiled.clear();
    filling = undefined;
  };
  const searching = (owner: string | undefined): ((text: string) => string) => {
    const found = compiled.get(owner) ?? compile([...known.values()], owner);
    compiled.set(owner, found);
    return found;
  };
  learn(secrets);
  return {
    text: (text, owner) => (known.size === 0 ? text : searching(owner)(text)),
    value: (value, owner) => (known.size === 0 ? value : redactInside(value, searching(owner))),
    spans(text) {
      if (known.size === 0) return [];
      filling ??= compile([...known.values()], undefined, (length) => FILLER.repeat(length));
      return [...filling(text).matchAll(FILLED)].map(({ 0: found, index }) => ({
        start: index,
        end: index + found.length,
      }));
    },
    learn,
  };
}

const FILLED = new RegExp(`${FILLER}+`, 'g');

function compile(
  secrets: readonly Secret[],
  owner: string | undefined,
  label: HiddenLabel = REDACTED,
): (text: string) => string {
  const isHidden = (secret: Secret): boolean =>
    owner === undefined || secret.owner === undefined || secret.owner === owner || isDistinct(secret);
  const values = secrets.filter(isHidden).map(({ value }) => value);
  return createValueHider(values, label);
}

/**
 * Whether another server's secret is distinctive: a password `postgres` must not hide the word
 * everywhere.
 */
const isDistinct = ({ value, isNamed }: Secret): boolean =>
  isNamed && (value.length >= 16 || (value.length >= 8 && /\d/.test(value) && /[A-Za-z]/.test(value)));

function redactInside(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => redactInside(item, text));
  if (typeof value !== 'object' || value === null || isRawNumber(value)) {
    const shown = JSON.stringify(value) ?? '';
    return text(shown) === shown ? value : REDACTED;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      text(key),
      isShortSecret(key, item, text) ? REDACTED : redactInside(item, text),
    ]),
  );
}

/** Whether a value is a secret because of the name of its field. */
const isShortSecret = (key: string, item: unknown, text: (text: string) => string): boolean =>
  ['string', 'number'].includes(typeof item) && text(`${key}=${String(item)}`) === `${key}=${REDACTED}`;

/** The replacement for a value: a string, or a function of the value's length. */
type HiddenLabel = string | ((length: number) => string);

/** Replaces values with `label`, in one pass per expression. */
export function createValueHider(values: readonly string[], label: HiddenLabel): (text: string) => string {
  const [words, context] = [wordPattern(values), contextPattern(values)];
  const labelOf = typeof label === 'string' ? () => label : label;
  const withoutWords = (text: string): string => {
    if (words === undefined) return text;
    return typeof label === 'string'
      ? text.replace(words, label)
      : text.replace(words, (found) => label(found.length));
  };
  return (text) => {
    const hidden = withoutWords(text);
    if (context === undefined) return hidden;
    return hidden.replace(context, (all: string, name: string | undefined, url: string | undefined) => {
      const before = name ?? url ?? '';
      return `${before}${labelOf(all.length - before.length)}`;
    });
  };
}
