export interface DiffPart {
  readonly text: string;
  readonly kind: 'same' | 'added' | 'removed';
}

/** Maximum size of the longest common subsequence table, which grows with the product of both lengths. */
const MAX_CELLS = 250_000;

/**
 * Words that two texts share, and words that are only in the first (`removed`) or only in the second
 * (`added`). Long texts that differ in more than one place are compared as a whole.
 */
export function wordDiff(first: string, second: string): readonly DiffPart[] {
  const [one, other] = [wordsOf(first), wordsOf(second)];
  let start = 0;
  while (start < one.length && start < other.length && one[start] === other[start]) start++;
  let end = 0;
  const shorter = Math.min(one.length, other.length) - start;
  while (end < shorter && one[one.length - 1 - end] === other[other.length - 1 - end]) end++;
  return joined([
    ...same(one.slice(0, start)),
    ...between(one.slice(start, one.length - end), other.slice(start, other.length - end)),
    ...same(one.slice(one.length - end)),
  ]);
}

const wordsOf = (text: string) => text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? [];

const same = (words: readonly string[]): DiffPart[] => words.map((text) => ({ text, kind: 'same' }));

function between(one: readonly string[], other: readonly string[]): readonly DiffPart[] {
  const removed = () => one.map((text) => part(text, 'removed'));
  const added = () => other.map((text) => part(text, 'added'));
  if (one.length * other.length > MAX_CELLS) return [...removed(), ...added()];
  const width = other.length + 1;
  const lengths = new Uint32Array((one.length + 1) * width);
  for (let row = one.length - 1; row >= 0; row--) {
    for (let column = other.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        one[row] === other[column]
          ? (lengths[(row + 1) * width + column + 1] ?? 0) + 1
          : Math.max(lengths[(row + 1) * width + column] ?? 0, lengths[row * width + column + 1] ?? 0);
    }
  }
  const parts = [] as DiffPart[];
  let [row, column] = [0, 0];
  while (row < one.length || column < other.length) {
    const [left, right] = [one[row], other[column]];
    if (left !== undefined && left === right) {
      parts.push(part(left, 'same'));
      row++;
      column++;
    } else if (
      left !== undefined &&
      (right === undefined ||
        (lengths[(row + 1) * width + column] ?? 0) >= (lengths[row * width + column + 1] ?? 0))
    ) {
      parts.push(part(left, 'removed'));
      row++;
    } else if (right !== undefined) {
      parts.push(part(right, 'added'));
      column++;
    }
  }
  return parts;
}

const part = (text: string, kind: DiffPart['kind']): DiffPart => ({ text, kind });

function joined(parts: readonly DiffPart[]): readonly DiffPart[] {
  const all = [] as DiffPart[];
  for (const { text, kind } of parts) {
    const last = all.at(-1);
    if (last?.kind === kind) all[all.length - 1] = { text: last.text + text, kind };
    else all.push({ text, kind });
  }
  return all;
}
