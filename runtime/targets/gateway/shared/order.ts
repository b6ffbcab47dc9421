/** A sort order for a list. */
export interface Order<Name extends string = string> {
  readonly by: Name;
  readonly isDescending: boolean;
}

/** Sort parameters, with `-` for descending order: `spend`, `-spend`. */
export const orderWords = (names: readonly string[]): readonly string[] =>
  names.flatMap((name) => [name, `-${name}`]);

/** The sort order for a parameter; undefined if the parameter is unknown. */
export function orderOf<Name extends string>(
  word: string | undefined,
  names: readonly Name[],
): Order<Name> | undefined {
  const isDescending = word?.startsWith('-') ?? false;
  const by = names.find((name) => name === (isDescending ? word?.slice(1) : word));
  return by === undefined ? undefined : { by, isDescending };
}
