import { contextPattern, wordPattern } from './redaction-patterns.ts';

/** What replaces a value: a text, or a text that depends on the length of the value. */
export type HiddenLabel = string | ((length: number) => string);

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
