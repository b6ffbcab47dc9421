/** A window's words, and which of them can start entities that the window returns. */
export interface WordWindow {
  readonly start: number;
  readonly stop: number;
  /** Entities that start with one of these words. For the other words, adjacent windows have more context. */
  readonly ownFrom: number;
  readonly ownTo: number;
}

export interface WordWindowRules {
  readonly maxWords: number;
  /** Maximum number of tokens for a window's words. */
  readonly maxTokens: number;
  /** Number of words that adjacent windows share. */
  readonly stride: number;
}

/**
 * Cuts a text into overlapping windows, given the number of tokens of each word. A word that is
 * longer than a window gets its own.
 */
export function cutIntoWordWindows(
  tokens: readonly number[],
  { maxWords, maxTokens, stride }: WordWindowRules,
): WordWindow[] {
  const borders: [start: number, stop: number][] = [];
  for (let start = 0, stop = 0; stop < tokens.length; start = Math.max(start + 1, stop - stride)) {
    stop = endOfWindow(tokens, start, Math.min(start + maxWords, tokens.length), maxTokens);
    borders.push([start, stop]);
  }
  return borders.map(([start, stop], at) => {
    const before = borders[at - 1];
    const after = borders[at + 1];
    return {
      start,
      stop,
      ownFrom: before ? middle(start, before[1]) : 0,
      ownTo: after ? middle(after[0], stop) : tokens.length,
    };
  });
}

function endOfWindow(tokens: readonly number[], start: number, last: number, maxTokens: number): number {
  let stop = start + 1;
  for (let sum = tokens[start] ?? 0; stop < last; stop++) {
    sum += tokens[stop] ?? 0;
    if (sum > maxTokens) break;
  }
  return stop;
}

/** The first shared word that belongs to the later window: the earlier one lacks context on the right. */
const middle = (laterStart: number, earlierStop: number): number =>
  Math.max(laterStart, Math.floor((earlierStop - 1 + laterStart) / 2) + 1);
