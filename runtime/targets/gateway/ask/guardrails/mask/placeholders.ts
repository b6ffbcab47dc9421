/** The placeholders of one request, and what they stand for. */
export interface Placeholders {
  /** The placeholder of a value, the same for the same value. */
  of(label: string, value: string): string;
  /** All masked values with their placeholders. */
  readonly values: ReadonlyMap<string, string>;
  /** Puts values back into a text. `write` writes a value, e.g. escaped. */
  restore(text: string, write?: (value: string) => string): string;
  /** Where the last characters of a text can be the beginning of a placeholder; its length if they cannot. */
  openEnd(text: string): number;
}

const PLACEHOLDER = /\[[A-Z\d_]+_\d+\]/g;

/** `taken` is text that can already contain something in the form of a placeholder. */
export function createPlaceholders(taken: string): Placeholders {
  const placeholders = new Map<string, string>();
  const byPlaceholder = new Map<string, string>();
  const counts = new Map<string, number>();
  return {
    of(label, value) {
      const known = placeholders.get(value);
      if (known !== undefined) return known;
      const name = label.toUpperCase().replaceAll(/[^A-Z\d]+/g, '_') || 'TEXT';
      let placeholder: string;
      do {
        const count = (counts.get(name) ?? 0) + 1;
        counts.set(name, count);
        placeholder = `[${name}_${count}]`;
      } while (taken.includes(placeholder));
      placeholders.set(value, placeholder);
      byPlaceholder.set(placeholder, value);
      return placeholder;
    },
    values: placeholders,
    restore: (text, write = (value) => value) =>
      text.replaceAll(PLACEHOLDER, (found) => {
        const value = byPlaceholder.get(found);
        return value === undefined ? found : write(value);
      }),
    openEnd(text) {
      const at = text.lastIndexOf('[');
      if (at === -1) return text.length;
      const tail = text.slice(at);
      return [...byPlaceholder.keys()].some((known) => known !== tail && known.startsWith(tail))
        ? at
        : text.length;
    },
  };
}
