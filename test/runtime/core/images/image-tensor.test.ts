import { describe, expect, test } from 'vitest';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import { tensorMaker } from '#core/images/image-tensor.ts';
import type { RgbImage } from '#core/images/rgb-image.ts';
import { plainPasses } from '../../../helpers/plain-passes.ts';

// The values of real processors are in test/cli/packaging/images/read-processor.test.ts.

const plain: ImageRecipe = { alpha: 'discard', values: [], channels: 'rgb' };
const image = (width: number, height: number): RgbImage => ({
  width,
  height,
  pixels: Uint8Array.from({ length: width * height * 3 }, (_, at) => at),
});

describe('tensorMaker', () => {
  test('channels are separate, in the order of the recipe', () => {
    expect([...tensorMaker(plain, plainPasses)(image(2, 1)).values]).toEqual([0, 3, 1, 4, 2, 5]);
    expect([...tensorMaker({ ...plain, channels: 'bgr' }, plainPasses)(image(2, 1)).values]).toEqual([
      2, 5, 1, 4, 0, 3,
    ]);
  });

  test('padding is zero after normalization, and the content is known', () => {
    const values = [{ kind: 'normalize', mean: [1, 1, 1], std: [2, 2, 2] }] as const;
    const tensor = tensorMaker({ ...plain, values, pad: { height: 2, width: 2 } }, plainPasses)(image(1, 1));
    expect([...tensor.values]).toEqual([-0.5, 0, 0, 0, 0, 0, 0, 0, 0.5, 0, 0, 0]);
    expect(tensor.content).toEqual({ height: 1, width: 1 });
  });

  test('an image that is larger than the padded size is rejected', () => {
    expect(() => tensorMaker({ ...plain, pad: { height: 2, width: 2 } }, plainPasses)(image(3, 1))).toThrow(
      'The image has 3 x 1 pixels after it is resized for the model, but the model reads at most 2 x 2 pixels.',
    );
  });

  test('a side that would have no pixels is rejected', () => {
    const to = { kind: 'edges', shortest: 10, longest: 20, multipleOf: 16 } as const;
    expect(() =>
      tensorMaker({ ...plain, resize: { to, filter: 'bilinear' } }, plainPasses)(image(10, 20)),
    ).toThrow('The image has 10 x 20 pixels, and would have 0 x 16 pixels when it is resized for the model.');
  });

  test('a very long image is not enlarged to billions of pixels', () => {
    const resize = { to: { kind: 'shortest_edge', size: 224 }, filter: 'bilinear' } as const;
    const long = image(60_000, 1);
    expect(() => tensorMaker({ ...plain, resize }, plainPasses)(long)).toThrow('13440000 x 224 pixels');
    const crop = { height: 224, width: 224, rounding: 'transformers', fill: [0, 0, 0] } as const;
    expect(tensorMaker({ ...plain, resize, crop }, plainPasses)(long).values).toHaveLength(3 * 224 * 224);
  });
});
