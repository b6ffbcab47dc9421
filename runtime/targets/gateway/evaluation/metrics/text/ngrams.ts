/** All runs of `order` tokens, each as one string. Tokens must not contain spaces, so that the strings are unambiguous. */
export function ngrams(tokens: readonly string[], order: number): readonly string[] {
  if (order === 1) return tokens;
  const found: string[] = [];
  for (let end = order; end <= tokens.length; end += 1) found.push(tokens.slice(end - order, end).join(' '));
  return found;
}

/** All runs of `order` code points. */
export function characterNgrams(text: string, order: number): readonly string[] {
  const found: string[] = [];
  const ends = [0];
  for (const character of text) {
    const start = ends[ends.length - order];
    const end = (ends.at(-1) ?? 0) + character.length;
    if (start !== undefined) found.push(text.slice(start, end));
    ends.push(end);
  }
  return found;
}

/** The multiset union of lists: each item as often as in the list that has most of it. */
export function unionOf(lists: readonly (readonly string[])[]): readonly string[] {
  const [first = [], ...others] = lists;
  if (others.length === 0) return first;
  const most = new Map<string, number>();
  for (const list of lists) {
    const counts = new Map<string, number>();
    for (const one of list) counts.set(one, (counts.get(one) ?? 0) + 1);
    for (const [one, count] of counts) most.set(one, Math.max(count, most.get(one) ?? 0));
  }
  return Array.from(most).flatMap(([one, count]) => Array.from({ length: count }, () => one));
}

/** Size of the multiset intersection of two lists. */
export function countShared(left: readonly string[], right: readonly string[]): number {
  const free = new Map<string, number>();
  for (const one of right) free.set(one, (free.get(one) ?? 0) + 1);
  let shared = 0;
  for (const one of left) {
    const count = free.get(one) ?? 0;
    if (count === 0) continue;
    shared += 1;
    free.set(one, count - 1);
  }
  return shared;
}
