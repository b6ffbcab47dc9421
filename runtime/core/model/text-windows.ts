import type { TokenizedText } from './tokenized-text.ts';

/**
 * Cuts a tokenized text into overlapping windows of at most `maxLength` tokens, each with the special tokens around it.
 * `stride` is the number of tokens that neighbors share. A token belongs to the window where it has the most context: in other
 * windows it is marked as special, so that results do not contain it.
 */
export function cutIntoWindows(text: TokenizedText, maxLength: number, stride: number): TokenizedText[] {
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
    const places = [...range(0, head), ...range(start, stop), ...range(end, ids.length)];
    const isHidden = (place: number): boolean =>
      place >= start && place < stop && (place < from || place >= to);
    return {
      ids: Int32Array.from(places, (place) => ids[place] ?? 0),
      typeIds: typeIds && Int32Array.from(places, (place) => typeIds[place] ?? 0),
      truncated: false,
      weight: stop - start,
      details: {
        tokens: places.map((place) => details.tokens[place] ?? ''),
        special: Uint8Array.from(places, (place) => (isHidden(place) ? 1 : (details.special[place] ?? 0))),
        offsets: Uint32Array.from(
          places.flatMap((place) => [details.offsets[place * 2] ?? 0, details.offsets[place * 2 + 1] ?? 0]),
        ),
      },
    };
  });
}

/** The first token of the shared ones that belongs to the later window: the earlier one lacks context on the right. */
const middle = (laterStart: number, earlierStop: number): number =>
  Math.floor((earlierStop - 1 + laterStart) / 2) + 1;

function leadingSpecials(special: Uint8Array): number {
  const first = special.indexOf(0);
  return first < 0 ? special.length : first;
}

const range = (start: number, stop: number): number[] =>
  Array.from({ length: stop - start }, (_, at) => start + at);
