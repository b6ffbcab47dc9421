/** The order of a list. */
export interface Order<Name extends string = string> {
  readonly by: Name;
  readonly isDescending: boolean;
}

/** Words that name the orders of a list, with `-` for descending ones: `spend`, `-spend`. */
export const orderWords = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `-${name}`]);

/** The order that a word names; undefined if no order has this name. */
export function orderOf<Name extends string>(
  word: string | undefined,
  names: readonly Name[],
): Order<Name> | undefined {
  const isDescending = word?.startsWith('-') ?? false;
  const by = names.find((name) => name === (isDescending ? word?.slice(1) : word));
  return by === undefined ? undefined : { by, isDescending };
}
