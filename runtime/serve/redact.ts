import { isRawNumber } from '../core/lossless-json.ts';

/** Takes secrets out of what people get to see. */
export interface Redactor {
  readonly text: (text: string) => string;
  /** The same for all texts inside a value, also its keys, and for numbers. */
  readonly value: (value: unknown) => unknown;
  /** These are the secrets from now on, and those before stay secret too: they may still be in what servers say. */
  readonly learn: (secrets: readonly string[]) => void;
}

const REDACTED = '[redacted]';
/** Shorter ones are in every other word. */
const SHORTEST_SECRET = 4;

/** One pass with one expression, which is made when there are new secrets. */
export function createRedactor(secrets: readonly string[] = []): Redactor {
  const known = new Set<string>();
  let expression: RegExp | undefined;
  const learn = (more: readonly string[]): void => {
    const before = known.size;
    for (const secret of more) {
      if (secret.length >= SHORTEST_SECRET) for (const form of formsOf(secret)) known.add(form);
    }
    if (known.size === before) return;
    // The longest goes first: it may contain another one.
    const forms = [...known].sort((one, other) => other.length - one.length);
    expression = new RegExp(forms.map((form) => RegExp.escape(form)).join('|'), 'g');
  };
  const text = (given: string): string =>
    expression === undefined ? given : given.replace(expression, REDACTED);
  learn(secrets);
  return {
    text,
    value: (given) => (expression === undefined ? given : redactInside(given, text)),
    learn,
  };
}

/** A secret as it is, inside JSON, inside an address, and in base64. */
function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    JSON.stringify(secret).slice(1, -1),
    // Throws on half of a character.
    encodeURIComponent(secret.toWellFormed()),
    bytes.toString('base64'),
    bytes.toString('base64url'),
  ];
}

function redactInside(value: unknown, text: (text: string) => string): unknown {
  if (typeof value === 'string') return text(value);
  if (Array.isArray(value)) return value.map((item) => redactInside(item, text));
  if (typeof value !== 'object' || value === null || isRawNumber(value)) {
    const shown = JSON.stringify(value) ?? '';
    return text(shown) === shown ? value : REDACTED;
  }
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [text(key), redactInside(item, text)]),
  );
}
