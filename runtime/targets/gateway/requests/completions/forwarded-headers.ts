import type { CompletionRequest } from './completion.ts';

/** Headers of a client that a provider with the same API gets; undefined if it gets none of them. */
export function forwardedHeaders(
  headers: CompletionRequest['headers'],
  names: readonly string[],
): Readonly<Record<string, string>> | undefined {
  if (names.length === 0) return undefined;
  const entries = names.flatMap((name) => {
    const value = headers.get(name);
    return value ? [[name, value] as const] : [];
  });
  return Object.fromEntries(entries);
}
