import { AppError } from '#contract/errors.ts';

/**
 * Throws an InputError for a query that has a parameter twice, because a proxy before this server or a provider behind it could read
 * the other value. Lists are `isRepeatable`, or have a name that ends with `[]`.
 */
export function requireDistinctParameters(url: string, isRepeatable: (name: string) => boolean): void {
  const start = url.indexOf('?');
  if (start === -1 || !url.includes('&', start)) return;
  const seen = new Set<string>();
  for (const name of new URLSearchParams(url.slice(start)).keys()) {
    if (!seen.has(name)) seen.add(name);
    else if (!isRepeatable(name) && !name.endsWith('[]')) throw repeated(name.slice(0, 64));
  }
}

function repeated(name: string): AppError {
  const message = `parameter ${JSON.stringify(name)} is in the query more than once. Send it once.`;
  return new AppError('InputError', message, { details: [{ location: `query.${name}`, message }] });
}
