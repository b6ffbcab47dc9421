import { AppError } from '../../../../contract/errors.ts';
import { didYouMean } from '../../../../core/text/suggest.ts';

export interface Findable<Item> {
  /** As `user`. */
  readonly kind: string;
  /** The command that shows all. */
  readonly list: string;
  readonly idOf: (item: Item) => string;
  /** By what else it may be called, where that is one's alone. */
  readonly namesOf: (item: Item) => readonly (string | null)[];
}

/** The one that a text on the command line means: by its id, else by a name that no other has. */
export function findOne<Item>(text: string, all: readonly Item[], kind: Findable<Item>): Item {
  const byId = all.find((item) => kind.idOf(item) === text);
  if (byId) return byId;
  const [found, ...others] = all.filter((item) => kind.namesOf(item).includes(text));
  if (found && others.length === 0) return found;
  if (!found) throw notThere(text, all, kind);
  const ids = [found, ...others].map(kind.idOf).join(', ');
  throw new AppError(
    'InputError',
    `Several are the ${kind.kind} ${JSON.stringify(text)}; say which by its id: ${ids}.`,
  );
}

function notThere<Item>(
  text: string,
  all: readonly Item[],
  { kind, list, idOf, namesOf }: Findable<Item>,
): AppError {
  const known = all.flatMap((item) => [idOf(item), ...namesOf(item)]).filter((name) => name !== null);
  const meant = didYouMean(text, known);
  return new AppError(
    'NotFoundError',
    `There is no ${kind} ${JSON.stringify(text)}${meant}${meant === '' ? '; ' : ' '}\`${list}\` shows all.`,
  );
}
