/** Returns the value if it is a string, otherwise undefined. */
export const textOrUndefined = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined;
