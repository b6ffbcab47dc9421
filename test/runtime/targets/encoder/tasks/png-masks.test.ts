import { expect, test } from 'vitest';
import { pngMasks } from '#encoder/tasks/png-masks.ts';
import { decodeImage } from '#platform/images/decode-image.ts';

/** Columns: 0 0 1, 1 1 0, 0 2 2, 2 0 0. */
const SIZE = { height: 3, width: 4 };
const SEGMENTS = [
  { label: 0, area: 6, counts: [0, 2, 3, 2, 3, 2] },
  { label: 1, area: 3, counts: [2, 3, 7] },
  { label: 2, area: 3, counts: [7, 3, 2] },
];

test('a PNG mask is white inside', async () => {
  const images = await Promise.all(pngMasks(SEGMENTS, SIZE).map((file) => decodeImage(file, 'discard')));
  const columns = [0, 0, 1, 1, 1, 0, 0, 2, 2, 2, 0, 0];
  for (const [label, { height, width, pixels }] of images.entries()) {
    expect({ height, width }).toEqual(SIZE);
    for (const [at, found] of columns.entries()) {
      const pixel = (at % 3) * 4 + Math.floor(at / 3);
      expect([...pixels.subarray(pixel * 3, pixel * 3 + 3)]).toEqual(
        Array(3).fill(found === label ? 255 : 0),
      );
    }
  }
});

test('PNG masks of a huge image with many labels are rejected', () => {
  const size = { height: 6000, width: 6000 };
  const segments = Array.from({ length: 150 }, (_, label) => ({ label, area: 1, counts: [label, 1] }));
  expect(() => pngMasks(segments, size)).toThrow(
    'The image has 150 labels and 6000 x 6000 pixels, which is too large for masks as PNG. Send a smaller image, or set `mask` to rle.',
  );
});
