/** Selects values by their names. */
export const only =
  (...names: readonly string[]) =>
  (value: string): boolean =>
    names.includes(value);

export const all = (): boolean => true;
export const none = (): boolean => false;
export const startingWith =
  (prefix: string) =>
  (value: string): boolean =>
    value.startsWith(prefix);

export const asIs = (value: string): string => value;

/** Metrics that each have one value of the same name. */
export const each = (names: readonly string[]): Record<string, (value: string) => boolean> =>
  Object.fromEntries(names.map((name) => [name, only(name)]));

const AVERAGES = ['micro', 'macro', 'weighted'] as const;
export const averagesOf = (prefix = ''): string[] =>
  ['precision', 'recall', 'f1'].flatMap((score) => AVERAGES.map((average) => `${prefix}${score}_${average}`));
