/** A text; undefined for anything else. */
export const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
