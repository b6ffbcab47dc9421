/**
 * Labels in the order of their code points, which is that of Python's tools. The order of UTF-16, which `sort` has, differs for
 * characters above U+FFFF.
 */
export const sortedLabels = (labels: Iterable<string>): string[] => [...new Set(labels)].sort(byCodePoint);

function byCodePoint(one: string, other: string): number {
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at++) {
    if (one.charCodeAt(at) === other.charCodeAt(at)) continue;
    return codePointAround(one, at) - codePointAround(other, at);
  }
  return one.length - other.length;
}

/** Where the second halves of two pairs differ, their first halves are the same, and either says who is first. */
const codePointAround = (text: string, at: number): number => text.codePointAt(at) ?? 0;
