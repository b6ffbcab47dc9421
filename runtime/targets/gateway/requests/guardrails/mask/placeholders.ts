import { createKnownValues, type KnownValues } from './known-values.ts';

/** The placeholders of one request, and what they stand for. */
export interface Placeholders {
  /** The placeholder of a value, the same for the same value. A value is restored if it is `isRestored` each time. */
  of(label: string, value: string, isRestored?: boolean): string;
  /** All masked values with their placeholders. */
  readonly values: ReadonlyMap<string, string>;
  /** Where these values stand in a text, and can begin at its end. */
  readonly known: Pick<KnownValues, 'occurrencesIn' | 'openEnd'>;
  /** The values that are put back, by placeholder. */
  readonly restored: () => readonly (readonly [placeholder: string, value: string])[];
  /** Whether any value is put back. */
  readonly hasRestored: () => boolean;
  /** Puts the values back into a text that are restored. `write` writes a value, e.g. escaped. */
  restore(text: string, write?: (value: string) => string): string;
  /** Where placeholders of this request are in a text. */
  spansIn(text: string): { readonly start: number; readonly end: number }[];
  /** Where the last characters of a text can be the beginning of a placeholder; its length if they cannot. */
  openEnd(text: string): number;
}

const PLACEHOLDER = /\[[A-Z\d_]+_\d+\]/g;
const BEGUN = /^\[[A-Z\d_]*$/;

/** `taken` is text that can already contain something in the form of a placeholder. */
export function createPlaceholders(taken: string): Placeholders {
  const placeholders = new Map<string, string>();
  const byPlaceholder = new Map<string, string>();
  const counts = new Map<string, number>();
  const inUse = new Set(taken.match(PLACEHOLDER));
  const known = createKnownValues();
  /** Placeholders that stay in the answer. */
  const kept = new Set<string>();
  return {
    of(label, value, isRestored = true) {
      const earlier = placeholders.get(value);
      if (earlier !== undefined) {
        if (!isRestored) kept.add(earlier);
        return earlier;
      }
      const name = label.toUpperCase().replaceAll(/[^A-Z\d]+/g, '_') || 'TEXT';
      let placeholder: string;
      do {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        placeholder = `[${name}_${count}]`;
      } while (inUse.has(placeholder));
      placeholders.set(value, placeholder);
      byPlaceholder.set(placeholder, value);
      known.add(value);
      if (!isRestored) kept.add(placeholder);
      return placeholder;
    },
    values: placeholders,
    known,
    restored: () => [...byPlaceholder].filter(([placeholder]) => !kept.has(placeholder)),
    hasRestored: () => kept.size < byPlaceholder.size,
    restore: (text, write = (value) => value) =>
      text.replaceAll(PLACEHOLDER, (found) => {
        const value = byPlaceholder.get(found);
        return value === undefined || kept.has(found) ? found : write(value);
      }),
    spansIn: (text) =>
      [...text.matchAll(PLACEHOLDER)]
        .filter(([found]) => byPlaceholder.has(found))
        .map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
    openEnd(text) {
      const at = text.lastIndexOf('[');
      if (at === -1) return text.length;
      const tail = text.slice(at);
      if (!BEGUN.test(tail)) return text.length;
      return [...byPlaceholder.keys()].some((known) => known !== tail && known.startsWith(tail))
        ? at
        : text.length;
    },
  };
}

/** Puts values back that were masked earlier, e.g. when a batch was uploaded. */
export function createRestorer(
  values: readonly (readonly [placeholder: string, value: string])[],
): Pick<Placeholders, 'restore'> {
  const byPlaceholder = new Map(values);
  return {
    restore: (text, write = (value) => value) =>
      text.replaceAll(PLACEHOLDER, (found) => {
        const value = byPlaceholder.get(found);
        return value === undefined ? found : write(value);
      }),
  };
}
