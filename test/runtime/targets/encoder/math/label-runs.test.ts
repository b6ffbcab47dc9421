import { expect, test } from 'vitest';
import type { ImageSize } from '#contract/image-recipe.ts';
import { labelRuns, type ScoreMap } from '#encoder/math/label-runs.ts';

/** Enlarges all scores by the definition: for each pixel, column by column, the score of each label. */
function enlarged({ scores, labels, grid }: ScoreMap, size: ImageSize): number[][] {
  const pixels: number[][] = [];
  for (let x = 0; x < size.width; x += 1) {
    for (let y = 0; y < size.height; y += 1) {
      const [top, bottom, down] = cellsOf(y, grid.height, size.height);
      const [left, right, across] = cellsOf(x, grid.width, size.width);
      const of = (label: number): number => {
        const at = (row: number, column: number): number =>
          scores[(label * grid.height + row) * grid.width + column] ?? 0;
        const upper = at(top, left) * (1 - across) + at(top, right) * across;
        const lower = at(bottom, left) * (1 - across) + at(bottom, right) * across;
        return upper * (1 - down) + lower * down;
      };
      pixels.push(Array.from({ length: labels }, (_, label) => of(label)));
    }
  }
  return pixels;
}

/** The two cells between whose centers a pixel is, and the weight of the second one. */
function cellsOf(pixel: number, cells: number, pixels: number): [number, number, number] {
  const position = Math.max(Math.fround(Math.fround(Math.fround(cells / pixels) * (pixel + 0.5)) - 0.5), 0);
  const first = Math.min(Math.trunc(position), cells - 1);
  return [first, Math.min(first + 1, cells - 1), position - first];
}

/** Any number from -1 to 1, always the same one for the same index. */
const anyNumber = (at: number): number => {
  const large = Math.sin(at + 1) * 10_000;
  return (large - Math.floor(large)) * 2 - 1;
};

const spread = ({ labels, lengths }: ReturnType<typeof labelRuns>): number[] =>
  labels.flatMap((label, at) => Array.from({ length: lengths[at] ?? 0 }, () => label));

const SIZES: readonly (readonly [grid: ImageSize, image: ImageSize])[] = [
  [
    { height: 4, width: 6 },
    { height: 37, width: 53 },
  ],
  [
    { height: 16, width: 16 },
    { height: 16, width: 16 },
  ],
  [
    { height: 20, width: 30 },
    { height: 9, width: 7 },
  ],
  [
    { height: 1, width: 1 },
    { height: 5, width: 3 },
  ],
  [
    { height: 8, width: 8 },
    { height: 1, width: 90 },
  ],
  [
    { height: 8, width: 8 },
    { height: 90, width: 1 },
  ],
  [
    { height: 3, width: 2 },
    { height: 1, width: 1 },
  ],
];

test.each([2, 5, 40])(
  'each pixel has the label with the highest enlarged score, with %i labels',
  (labels) => {
    for (const [grid, size] of SIZES) {
      // With whole numbers, many scores are equal.
      for (const score of [anyNumber, (at: number) => Math.round(anyNumber(at))]) {
        const length = labels * grid.height * grid.width;
        const map = { scores: Float32Array.from({ length }, (_, at) => score(at)), labels, grid };
        const runs = labelRuns(map, size);
        expect(runs.labels.some((label, at) => label === runs.labels[at + 1])).toBe(false);
        const found = spread(runs);
        const expected = enlarged(map, size);
        expect(found).toHaveLength(expected.length);
        const wrong = expected.filter(
          (scores, at) => (scores[found[at] ?? -1] ?? 0) < Math.max(...scores) - 1e-9,
        );
        expect(wrong).toEqual([]);
      }
    }
  },
);

test('of equal scores, the first label is chosen', () => {
  const grid = { height: 2, width: 2 };
  const scores = new Float32Array([0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1]);
  expect(labelRuns({ scores, labels: 3, grid }, { height: 7, width: 7 })).toMatchObject({
    labels: [1],
    lengths: [49],
  });
});

test('a large image needs no memory for the scores of its pixels', () => {
  const grid = { height: 128, width: 128 };
  const labels = 100;
  const cells = grid.height * grid.width;
  const scores = Float32Array.from({ length: labels * cells }, (_, at) => anyNumber(at));
  const before = process.memoryUsage().arrayBuffers;
  const { lengths } = labelRuns({ scores, labels, grid }, { height: 1500, width: 2000 });
  expect(lengths.reduce((sum, length) => sum + length)).toBe(3_000_000);
  // All scores have 1.2 GB.
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(100_000_000);
});
