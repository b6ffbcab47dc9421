import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { cutIntoWindows } from '#core/model/text-windows.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';

/** A text whose token IDs are their positions, with a special token (999) on both sides. */
function textOf(length: number): TokenizedText {
  const ids = Int32Array.from([999, ...Array.from({ length }, (_, at) => at), 999]);
  const special = Uint8Array.from(ids, (id) => (id === 999 ? 1 : 0));
  const offsets = Uint32Array.from([...ids].flatMap((id) => [id, id + 1]));
  return { ids, truncated: true, details: { tokens: Array.from(ids, String), special, offsets } };
}

const contentOf = ({ ids }: TokenizedText): number[] => [...ids].filter((id) => id !== 999);
const ownedBy = ({ ids, details }: TokenizedText): number[] =>
  [...ids].filter((_, at) => details?.special[at] === 0);

const SHAPES = fc
  .record({
    length: fc.integer({ min: 1, max: 120 }),
    room: fc.integer({ min: 1, max: 30 }),
    part: fc.nat(1000),
  })
  .map(({ length, room, part }) => ({ length, room, stride: part % room }));

test('each token is returned exactly once, from the window that contains the most context for it', () => {
  fc.assert(
    fc.property(SHAPES, ({ length, room, stride }) => {
      const windows = cutIntoWindows(textOf(length), room + 2, stride);
      const contents = windows.map(contentOf);
      const owned = windows.map(ownedBy);
      expect(owned.flat()).toEqual(Array.from({ length }, (_, at) => at));
      for (const [at, { ids, weight }] of windows.entries()) {
        expect([ids[0], ids.at(-1)]).toEqual([999, 999]);
        expect(ids.length).toBeLessThanOrEqual(room + 2);
        expect(weight).toBe(contents[at]?.length);
      }

      const context = (id: number, at: number): number => {
        const content = contents[at] ?? [];
        const position = content.indexOf(id);
        if (position < 0) return -1;
        const left = at === 0 ? Infinity : position;
        const right = at === windows.length - 1 ? Infinity : content.length - 1 - position;
        return Math.min(left, right);
      };
      const isBest = owned.every((ids, at) =>
        ids.every((id) => context(id, at) === Math.max(...windows.map((_, other) => context(id, other)))),
      );
      expect(isBest).toBe(true);
    }),
  );
});
