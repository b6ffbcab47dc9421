import { createKnownValues, type KnownValues } from './known-values.ts';

/** One request's placeholders, and the values that they replace. */
export interface Placeholders {
  /**
   * Returns the placeholder for a value, which is always the same for the same value. A value is only
   * restored if `isRestored` is true in every call for it.
   */
  of(label: string, value: string, isRestored?: boolean): string;
  /** All masked values with their placeholders. */
  readonly values: ReadonlyMap<string, string>;
  /** Finds where these values occur in a text, and where one can begin at the end of the text. */
  readonly known: Pick<KnownValues, 'occurrencesIn' | 'openEnd'>;
  /** The values to restore, by placeholder. */
  readonly restored: () => readonly (readonly [placeholder: string, value: string])[];
  /** Whether any value is restored. */
  readonly hasRestored: () => boolean;
  /** Restores values in a text. `write` formats a value, e.g. by escaping it. */
  restore(text: string, write?: (value: string) => string): string;
  /** Where this request's placeholders occur in a text. */
  spansIn(text: string): { readonly start: number; readonly end: number }[];
  /**
   * The position at which an incomplete placeholder can begin at the end of a text; the text's length if
   * there is none.
   */
  openEnd(text: string): number;
}

const PLACEHOLDER = /\[[A-Z\d_]+_\d+\]/g;
const BEGUN = /^\[[A-Z\d_]*$/;

/** `taken` is text that may already contain something in the format of a placeholder. */
export function createPlaceholders(taken: string): Placeholders {
  const placeholders = new Map<string, string>();
  const byPlaceholder = new Map<string, string>();
  const counts = new Map<string, number>();
  const inUse = new Set(taken.match(PLACEHOLDER));
  const known = createKnownValues();
  /** Placeholders that stay in the response. */
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

/** Restores values that were masked earlier, e.g. when a batch was uploaded. */
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
