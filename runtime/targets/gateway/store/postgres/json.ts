import { storableText } from '../storable-text.ts';

/** Rows as JSON that PostgreSQL reads: money as text, because JSON readers round, and no characters that its text cannot hold. */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storableText(value) : value;
  });
}
