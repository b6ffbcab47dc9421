/**
 * Adds any number of items to a list. Passing the items as arguments to `push` fails if there are
 * more than about a hundred thousand.
 */
export function pushAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item);
}
