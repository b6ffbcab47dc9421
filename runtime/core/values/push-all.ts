/**
 * Adds any number of items to a list: passing them as arguments of `push` fails above about a
 * hundred thousand.
 */
export function pushAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item);
}
