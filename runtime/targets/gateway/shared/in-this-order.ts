/** A record with some members first and some last. The others keep their order in between. */
export function inThisOrder<Value>(
  record: Readonly<Record<string, Value>>,
  first: readonly string[],
  last: readonly string[] = [],
): Record<string, Value> {
  const rankOf = (name: string): number => {
    const [start, end] = [first.indexOf(name), last.indexOf(name)];
    if (start >= 0) return start - first.length;
    return end >= 0 ? end + 1 : 0;
  };
  return Object.fromEntries(Object.entries(record).toSorted(([one], [other]) => rankOf(one) - rankOf(other)));
}
