/** The words in a window, and the words that can start an entity in the window's results. */
export interface WordWindow {
  readonly start: number;
  readonly stop: number;
  /**
   * The words at which an entity in the window's results can start. For the other words, adjacent
   * windows have more context.
   */
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

/**
 * Returns the first shared word that belongs to the later window, because it has more context there
 * than in the earlier window.
 */
const middle = (laterStart: number, earlierStop: number): number =>
  Math.max(laterStart, Math.floor((earlierStop - 1 + laterStart) / 2) + 1);
