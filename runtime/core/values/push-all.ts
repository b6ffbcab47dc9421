/** Adds items to a list, however many: a call with a list of arguments fails above about a hundred thousand. */
export function pushAll<Item>(list: Item[], more: Iterable<Item>): void {
  for (const item of more) list.push(item);
}
