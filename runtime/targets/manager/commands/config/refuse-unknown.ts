import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';

/** Rejects removal of names that are not in the list. `list` is its description for the error message. */
export function refuseUnknown(names: readonly string[], known: readonly string[], list: string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const suggestion = suggest(unknown, known);
  const all = known.length === 0 ? 'The list is empty.' : `It contains ${known.join(', ')}.`;
  const wayOut = suggestion === undefined ? all : `Did you mean ${JSON.stringify(suggestion)}?`;
  throw configError(`${JSON.stringify(unknown)} is not in ${list}. ${wayOut}`);
}
