/**
 * Returns the items that the arguments of a script select: those whose name contains one of them, or all if there are no
 * arguments. Ends the script with an error if an argument selects nothing, because a check that did not run would pass.
 */
export function chosen<Item>(
  items: readonly Item[],
  nameOf: (item: Item) => string,
  words: readonly string[] = process.argv.slice(2),
): readonly Item[] {
  const unknown = words.find((word) => !items.some((item) => nameOf(item).includes(word)));
  if (unknown !== undefined) {
    const names = items.slice(0, MAX_SHOWN).map(nameOf).join(', ');
    const more = items.length > MAX_SHOWN ? ` and ${items.length - MAX_SHOWN} more` : '';
    console.error(`Nothing is named ${JSON.stringify(unknown)}. Names: ${names}${more}.`);
    process.exit(2);
  }
  return words.length === 0
    ? items
    : items.filter((item) => words.some((word) => nameOf(item).includes(word)));
}

const MAX_SHOWN = 30;
