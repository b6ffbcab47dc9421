import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';

export interface Findable<Item> {
  /** Noun for messages, for example `user`. */
  readonly kind: string;
  /** The command that lists all items. */
  readonly list: string;
  readonly idOf: (item: Item) => string;
  /** Other names of an item, which identify it only if they are unique. */
  readonly namesOf: (item: Item) => readonly (string | null)[];
}

/** Finds the item that an argument refers to: by ID, or by a unique name. */
export function findOne<Item>(text: string, all: readonly Item[], kind: Findable<Item>): Item {
  const byId = all.find((item) => kind.idOf(item) === text);
  if (byId) return byId;
  const [found, ...others] = all.filter((item) => kind.namesOf(item).includes(text));
  if (found && others.length === 0) return found;
  if (!found) throw notFoundError(text, all, kind);
  const ids = [found, ...others].map(kind.idOf).join(', ');
  throw new AppError(
    'InputError',
    `${JSON.stringify(text)} matches more than one ${kind.kind}. Use an ID: ${ids}.`,
  );
}

function notFoundError<Item>(
  text: string,
  all: readonly Item[],
  { kind, list, idOf, namesOf }: Findable<Item>,
): AppError {
  const known = all.flatMap((item) => [idOf(item), ...namesOf(item)]).filter((name) => name !== null);
  const hint = didYouMean(text, known);
  return new AppError(
    'NotFoundError',
    `There is no ${kind} ${JSON.stringify(text)}${hint || '.'} \`${list}\` shows all.`,
  );
}
