import { storableText } from '../storable-text.ts';

/** Formats rows as JSON for PostgreSQL. Amounts become texts, which are not rounded, and characters that it cannot store are replaced. */
export function toJson(rows: readonly object[]): string {
  return JSON.stringify(rows, (_key, value: unknown) => {
    if (typeof value === 'bigint') return String(value);
    return typeof value === 'string' ? storableText(value) : value;
  });
}
