import type { Ranks } from './ranks.ts';
import { classText, type NextPiece } from './split-text.ts';

/** Counts the tokens of texts as one family of models does. */
export interface Encoding {
  readonly count: (text: string) => number;
}

/** Longer pieces, for example of a language without spaces, are cut, so that merging takes no time that grows with their square. */
const MAX_PIECE_BYTES = 512;

/** Byte pair encoding: bytes of a piece are merged pair by pair, the pair with the lowest rank first. */
export function createEncoding(ranks: Ranks, next: NextPiece): Encoding {
  const merge = createMerge(ranks);
  return {
    count(text) {
      const classed = classText(text);
      const { bytes, starts, length } = classed;
      let tokens = 0;
      for (let at = 0; at < length;) {
        const end = next(classed, at);
        const [from, to] = [starts[at] ?? 0, starts[end] ?? 0];
        tokens += to - from === 1 || ranks.find(bytes, from, to) !== -1 ? 1 : countPiece(bytes, from, to);
        at = end;
      }
      return tokens;
    },
  };

  function countPiece(bytes: Uint8Array, from: number, to: number): number {
    let tokens = 0;
    let start = from;
    while (to - start > MAX_PIECE_BYTES) {
      let cut = start + MAX_PIECE_BYTES;
      // Never within a character.
      while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
      tokens += merge(bytes, start, cut);
      start = cut;
    }
    return tokens + merge(bytes, start, to);
  }
}

/** Positions in a piece have 10 bits, so that a rank and a position make one number, which sorts by rank and then from the left. */
const POSITIONS = 1024;

/** Merges with a heap of pairs, of which those whose parts have changed since are skipped. Its arrays are reused. */
function createMerge({ find }: Ranks): (bytes: Uint8Array, from: number, to: number) => number {
  /** Of each part, by its first byte: the next and the previous part, and the rank of the part with the next one. */
  const next = new Int32Array(POSITIONS);
  const previous = new Int32Array(POSITIONS);
  const pairs = new Int32Array(POSITIONS);
  const heap = new Float64Array(4 * POSITIONS);
  let size = 0;

  const push = (key: number): void => {
    let at = size;
    size += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as number;
      if (above <= key) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = key;
  };
  /** The least key; -1 if there is none. */
  const pop = (): number => {
    if (size === 0) return -1;
    const top = heap[0] as number;
    size -= 1;
    const key = heap[size] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
      const below = heap[child] as number;
      if (below >= key) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = key;
    return top;
  };

  /**
   * Most characters of Chinese, Japanese and Korean are tokens, whose bytes would be merged first anyway. Their pieces are long, and this
   * saves most of the work; for other scripts, whose tokens can end within a character, it would change counts.
   */
  const characterEnd = (bytes: Uint8Array, from: number, part: number): number => {
    const first = bytes[from + part] as number;
    if (first < 0xe3 || first > 0xef) return part + 1;
    const end = part + 3;
    return find(bytes, from + part, from + end) === -1 ? part + 1 : end;
  };

  return (bytes, from, to) => {
    const length = to - from;
    const offer = (part: number): void => {
      const second = next[part] as number;
      const rank = second >= length ? -1 : find(bytes, from + part, from + (next[second] as number));
      pairs[part] = rank;
      if (rank !== -1) push(rank * POSITIONS + part);
    };
    size = 0;
    let parts = 0;
    for (let part = 0, before = -1; part < length; parts += 1) {
      const end = characterEnd(bytes, from, part);
      next[part] = end;
      previous[part] = before;
      before = part;
      part = end;
    }
    for (let part = 0; part < length; part = next[part] as number) offer(part);
    for (let key = pop(); key !== -1; key = pop()) {
      const part = key % POSITIONS;
      if (pairs[part] !== (key - part) / POSITIONS) continue;
      const second = next[part] as number;
      const after = next[second] as number;
      next[part] = after;
      pairs[second] = -1;
      if (after < length) previous[after] = part;
      parts -= 1;
      offer(part);
      const before = previous[part] as number;
      if (before >= 0) offer(before);
    }
    return parts;
  };
}
