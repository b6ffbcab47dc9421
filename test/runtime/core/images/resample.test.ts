import { describe, expect, test } from 'vitest';
import { RESAMPLE_FILTERS } from '#contract/image-recipe.ts';
import { resample } from '#core/images/resample.ts';
import type { RgbImage } from '#core/images/rgb-image.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { wasmPasses } from '#platform/images/pixels/wasm-passes.ts';
import { sha256 } from '#platform/sha256.ts';
import { imageFile, readGoldenImages } from '../../../helpers/golden-images.ts';

const { resized } = readGoldenImages();
const files = [...new Set(resized.map(({ file }) => file))];

describe('resample', () => {
  test.each(files)('%s has the pixels of Pillow in every size, with every filter', async (name) => {
    const image = await decodeImage(imageFile(name), 'discard');
    const different = resized
      .filter(({ file }) => file === name)
      .filter(({ filter, size: [width, height], box, sha256: expected }) => {
        const part = box === null ? undefined : { left: box[0], top: box[1], right: box[2], bottom: box[3] };
        return (
          sha256(resample(image, { width, height }, filter, wasmPasses, { box: part }).pixels) !== expected
        );
      });
    expect(different).toEqual([]);
  });

  test.each(RESAMPLE_FILTERS)('a region has the same pixels as the whole image: %s', async (filter) => {
    for (const name of ['baseline-444.jpg', 'rgb-2x300.png']) {
      const image = await decodeImage(imageFile(name), 'discard');
      for (const size of [
        { width: 40, height: 50 },
        { width: image.width, height: 33 },
        { width: 33, height: image.height },
      ]) {
        const region = { left: 2, top: 5, width: size.width - 5, height: size.height - 9 };
        if (region.width < 1) continue;
        const whole = resample(image, size, filter, wasmPasses);
        expect(resample(image, size, filter, wasmPasses, { region }).pixels).toEqual(
          cut(whole, region).pixels,
        );
      }
    }
  });
});

function cut(
  image: RgbImage,
  { left, top, width, height }: { left: number; top: number; width: number; height: number },
): RgbImage {
  const rows = Array.from({ length: height }, (_, row) => {
    const from = ((top + row) * image.width + left) * 3;
    return image.pixels.subarray(from, from + width * 3);
  });
  return { width, height, pixels: Uint8Array.from(Buffer.concat(rows)) };
}
