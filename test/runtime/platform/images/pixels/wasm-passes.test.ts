import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RESAMPLE_FILTERS } from '#contract/image-recipe.ts';
import { resample } from '#core/images/resample.ts';
import { wasmPasses } from '#platform/images/pixels/wasm-passes.ts';
import { plainPasses } from '#test/helpers/plain-passes.ts';

const side = fc.integer({ min: 1, max: 70 });
const images = fc.tuple(side, side, fc.integer({ min: 1, max: 255 })).map(([width, height, factor]) => ({
  width,
  height,
  // Neighbors are as different as possible, so that sums exceed the range of a pixel.
  pixels: Uint8Array.from({ length: width * height * 3 }, (_, at) =>
    at % 5 === 0 ? 255 : Math.imul(at, factor) & 255,
  ),
}));

describe('wasmPasses', () => {
  test.each(RESAMPLE_FILTERS)('%s: the same pixels as without WebAssembly, for every size', (filter) => {
    fc.assert(
      fc.property(images, side, side, (image, width, height) => {
        const size = { width, height };
        const { pixels } = resample(image, size, filter, wasmPasses);
        expect(pixels).toEqual(resample(image, size, filter, plainPasses).pixels);
      }),
      { numRuns: 60 },
    );
  });

  test('rows that are wider than what is computed together', () => {
    const wide = { width: 60_000, height: 3, pixels: new Uint8Array(540_000).map((_, at) => at * 7) };
    const size = { width: 100, height: 2 };
    expect(resample(wide, size, 'lanczos', wasmPasses)).toEqual(resample(wide, size, 'lanczos', plainPasses));
  });

  test('an image that needs more memory than is kept', () => {
    const grey = (width: number, height: number): Uint8Array => new Uint8Array(width * height * 3).fill(90);
    const size = { width: 6000, height: 4000 };
    const image = { width: 2, height: 2, pixels: grey(2, 2) };
    const large = resample(image, size, 'box', wasmPasses);
    expect(Buffer.compare(large.pixels, grey(6000, 4000))).toBe(0);
    expect(resample(image, { width: 3, height: 3 }, 'box', wasmPasses).pixels).toEqual(grey(3, 3));
  });
});
