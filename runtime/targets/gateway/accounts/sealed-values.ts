import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { createSeal } from '#platform/seal.ts';

/** Values that make a round trip through others: encrypted, bound to a purpose, and valid for a limited time. */
export interface SealedValues<Value> {
  /** `maxAgeMs` replaces the configured one. */
  close(value: Value, maxAgeMs?: number): string;
  /** Undefined for a value that is invalid or has expired. */
  open(text: string): Value | undefined;
}

export function createSealedValues<Value>(
  key: Uint8Array,
  { purpose, maxAgeMs }: { readonly purpose: string; readonly maxAgeMs: number },
  clock: Clock,
): SealedValues<Value> {
  const seal = createSeal(Buffer.from(key).toString('hex'), key, purpose);
  return {
    close: (value, ageMs = maxAgeMs) =>
      Buffer.from(seal.close(JSON.stringify({ value, until: clock.now() + ageMs }))).toString('base64url'),
    open(text) {
      const bytes = Buffer.from(text, 'base64url');
      // Decoders ignore invalid characters, so a value would have several encodings.
      if (bytes.toString('base64url') !== text) return undefined;
      const opened = seal.open(bytes);
      if (opened === undefined) return undefined;
      // Only this program can have created the text, so its format is known.
      const { value, until } = parseJsonText(opened) as { readonly value: Value; readonly until: number };
      return until > clock.now() ? value : undefined;
    },
  };
}
