import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { ImageRecipe } from '#contract/image-recipe.ts';
import type { ImageSettings } from '#contract/image-settings.ts';
import { OnnxTensor, type OnnxSession } from '#platform/onnx/session.ts';
import { imageRunner } from '#encoder/engine/run-images.ts';

const recipe: ImageRecipe = { alpha: 'discard', values: [], channels: 'rgb' };

/** A model that returns two numbers for each image: the sum of its values, and their number. */
function summing(unsupported?: number) {
  const shapes: (readonly number[])[] = [];
  const session: Pick<OnnxSession, 'run'> = {
    run(feeds) {
      const { data, dims } = feeds['pixel_values'] as OnnxTensor;
      shapes.push(dims);
      if (dims[3] === unsupported) throw new Error('the kernel is larger than the image');
      const length = dims.slice(1).reduce((product, size) => product * size, 1);
      const values = data as Float32Array;
      const sums = Array.from({ length: dims[0] ?? 0 }, (_, row) => [
        values.subarray(row * length, (row + 1) * length).reduce((sum, value) => sum + value, 0),
        length,
      ]);
      return new OnnxTensor('float32', Float32Array.from(sums.flat()), [sums.length, 2]);
    },
  };
  const images: ImageSettings = { recipe };
  const tokenizer = {
    maxLength: 1,
    truncationSide: 'right',
    padId: 0,
    vocabularySize: 0,
    marksSubwords: false,
  } as const;
  const run = imageRunner(session, { images, output: 'sums', tokenizer });
  const runFiles = async (...files: readonly Uint8Array[]) =>
    await run(
      { ids: new Int32Array(), lengths: new Int32Array(files.length), columns: 0, images: files },
      { tokenOutputs: [], allTokens: false },
    );
  return { runFiles, shapes };
}

const file = (name: string): Promise<Uint8Array> => readFile(`fixtures/images/${name}`);

describe('imageRunner', () => {
  test('images of equal size share a run, and each image has the result that it has alone', async () => {
    const names = ['rgb-17x23.png', '9x17.jpg', 'rgb-3x3.png', '9x17.jpg'];
    const files = await Promise.all(names.map(file));
    const { runFiles, shapes } = summing();
    const { data, dims, imageSizes } = await runFiles(...files);
    expect(shapes.map((shape) => shape.join())).toEqual(['1,3,23,17', '2,3,17,9', '1,3,3,3']);
    expect(dims).toEqual([4, 2]);
    expect(imageSizes).toEqual([
      { height: 23, width: 17 },
      { height: 17, width: 9 },
      { height: 3, width: 3 },
      { height: 17, width: 9 },
    ]);
    for (const [row, one] of files.entries()) {
      const alone = await runFiles(one);
      expect([...data.subarray(row * 2, row * 2 + 2)]).toEqual([...alone.data]);
    }
  });

  test('images of a size that the model does not support do not affect those of other sizes', async () => {
    const names = ['rgb-17x23.png', 'rgb-3x3.png', '9x17.jpg'];
    const files = await Promise.all(names.map(file));
    const { runFiles } = summing(3);
    const { data, failed } = await runFiles(...files);
    expect(failed).toEqual([undefined, { failure: 'the kernel is larger than the image' }]);
    expect([...data].filter((_, at) => at % 2 === 1)).toEqual([3 * 17 * 23, 0, 3 * 9 * 17]);
    await expect(runFiles(...files.slice(1, 2))).rejects.toThrow('the kernel is larger');
  });

  test('a file that cannot be decoded has an error, and the model does not run on it', async () => {
    const { runFiles, shapes } = summing();
    const good = await file('rgb-3x3.png');
    const { data, failed, imageSizes } = await runFiles(good.subarray(0, 60), good);
    expect(shapes.map((shape) => shape[0])).toEqual([1]);
    expect(failed?.map((one) => one?.isInput)).toEqual([true]);
    expect(imageSizes?.[0]).toBeUndefined();
    expect(data[3]).toBe(27);
    const nothing = await runFiles(good.subarray(0, 60));
    expect(nothing.dims).toEqual([1, 0]);
    expect(shapes).toHaveLength(1);
  });
});
