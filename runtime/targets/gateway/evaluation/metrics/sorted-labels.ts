/** Sorts labels by code point, like Python's tools. UTF-16 order, which `sort` uses, differs for characters above U+FFFF. */
export const sortedLabels = (labels: Iterable<string>): string[] => [...new Set(labels)].sort(byCodePoint);

function byCodePoint(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue;
    return codePointAround(one, at) - codePointAround(other, at);
  }
  return one.length - other.length;
}

/** If the low surrogates of two characters differ, their high surrogates are equal, so either position determines the order. */
const codePointAround = (text: string, at: number): number => text.codePointAt(at) ?? 0;
