import type { TokenizedText } from './tokenized-text.ts';

/**
 * Cuts a tokenized text into overlapping windows of at most `maxLength` tokens, each surrounded by
 * the special tokens. `stride` is the number of tokens that adjacent windows share. A token belongs
 * to the window in which it has the most context. In other windows, it is marked as special, so
 * that their results do not contain it. If `sharesTokens` is true, a token belongs to all windows
 * that contain it.
 */
export function cutIntoWindows(
  text: TokenizedText,
  maxLength: number,
  stride: number,
  sharesTokens = false,
): TokenizedText[] {
  const { details, ids, typeIds } = text;
  if (!details) throw new Error('tokenized without details');
  const head = leadingSpecials(details.special);
  const end = ids.length - leadingSpecials(details.special.toReversed());
  const room = maxLength - head - (ids.length - end);
  const starts = [head];
  for (let start = head; start + room < end;) starts.push((start += room - stride));
  const bordersOf = (start: number): [number, number] => [start, Math.min(start + room, end)];
  return starts.map((start, at) => {
    const [, stop] = bordersOf(start);
    const before = starts[at - 1];
    const after = starts[at + 1];
    const from = before === undefined ? head : middle(start, bordersOf(before)[1]);
    const to = after === undefined ? end : middle(after, stop);
    const place: Place = { head, start, stop, end };
    const special = cut(details.special, place);
    // Marks tokens that belong to an adjacent window.
    if (!sharesTokens) {
      special.fill(1, head, head + from - start);
      special.fill(1, head + to - start, head + stop - start);
    }
    return {
      ids: cut(ids, place),
      typeIds: typeIds && cut(typeIds, place),
      truncated: false,
      weight: stop - start,
      details: {
        tokens: details.tokens
          .slice(0, head)
          .concat(details.tokens.slice(start, stop), details.tokens.slice(end)),
        special,
        words: details.words && cut(details.words, place),
        offsets: cut(details.offsets, { head: head * 2, start: start * 2, stop: stop * 2, end: end * 2 }),
      },
    };
  });
}

/**
 * Positions in a text: the leading special tokens end at `head`, the trailing ones start at `end`,
 * and the window from `start` to `stop` is in between.
 */
interface Place {
  readonly head: number;
  readonly start: number;
  readonly stop: number;
  readonly end: number;
}

interface Cells<Row> {
  readonly length: number;
  slice(from: number, to: number): Row;
  subarray(from: number, to?: number): Row;
  set(values: Row, at: number): void;
}

/**
 * Copies a window and the special tokens around it. Copies whole ranges, because a long text has
 * many windows.
 */
function cut<Row extends Cells<Row>>(row: Row, { head, start, stop, end }: Place): Row {
  const window = row.slice(0, head + stop - start + row.length - end);
  window.set(row.subarray(start, stop), head);
  window.set(row.subarray(end), head + stop - start);
  return window;
}

/**
 * Returns the first shared token that belongs to the later window, because it has more context
 * there than in the earlier window.
 */
const middle = (laterStart: number, earlierStop: number): number =>
  Math.floor((earlierStop - 1 + laterStart) / 2) + 1;

function leadingSpecials(special: Uint8Array): number {
  const first = special.indexOf(0);
  return first < 0 ? special.length : first;
}
