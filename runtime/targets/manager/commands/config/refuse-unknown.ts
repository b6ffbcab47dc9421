import { configError } from '../../../../contract/errors.ts';
import { suggest } from '../../../../core/text/suggest.ts';

/** Names that are to be removed must be there. */
export function refuseUnknown(names: readonly string[], known: readonly string[], owner: string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const meant = suggest(unknown, known);
  const all = known.length === 0 ? 'It has none.' : `It has ${known.join(', ')}.`;
  const wayOut = meant === undefined ? all : `Did you mean ${JSON.stringify(meant)}?`;
  throw configError(`${owner} has no ${JSON.stringify(unknown)}. ${wayOut}`);
}
