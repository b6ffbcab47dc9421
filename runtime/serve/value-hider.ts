import { contextPattern, wordPattern } from './redaction-patterns.ts';

/** Replaces values with `label`, in one pass per expression. */
export function createValueHider(values: readonly string[], label: string): (text: string) => string {
  const [words, context] = [wordPattern(values), contextPattern(values)];
  return (text) => {
    const withoutWords = words === undefined ? text : text.replace(words, label);
    if (context === undefined) return withoutWords;
    return withoutWords.replace(
      context,
      (_, name: string | undefined, url: string | undefined) => `${name ?? url ?? ''}${label}`,
    );
  };
}
