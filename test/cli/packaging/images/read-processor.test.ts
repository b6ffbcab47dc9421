import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { imageProcessor, readImageProcessor } from '#cli/packaging/images/read-processor.ts';
import { tensorMaker } from '#core/images/image-tensor.ts';
import { wasmPasses } from '#platform/images/pixels/wasm-passes.ts';
import { decodeImage } from '#platform/images/decode-image.ts';
import { sha256 } from '#platform/sha256.ts';
import { imageFile, readGolden } from '../../../helpers/golden-images.ts';

/** Tensors of transformers and timm (fixtures/scripts/make_image_processors.py). */
interface GoldenProcessor {
  readonly preprocessor?: Readonly<Record<string, unknown>>;
  readonly config?: Readonly<Record<string, unknown>>;
  readonly tensors: Readonly<Record<string, { readonly shape: readonly number[]; readonly sha256: string }>>;
}

const golden = readGolden('image-processors.json') as Readonly<Record<string, GoldenProcessor>>;

const read = (
  preprocessor: Readonly<Record<string, unknown>>,
  config = {},
): ReturnType<typeof imageProcessor> => imageProcessor({ preprocessor, processor: undefined, config });

describe('imageProcessor', () => {
  test.each(Object.entries(golden))(
    '%s has the tensors of its library',
    async (_name, { preprocessor, config, tensors }) => {
      const { recipe } = imageProcessor({ preprocessor, processor: undefined, config });
      const make = tensorMaker(recipe, wasmPasses);
      for (const [file, { shape, ...expected }] of Object.entries(tensors)) {
        const { values, height, width } = make(await decodeImage(imageFile(file), recipe.alpha));
        expect({ file, shape: [3, height, width] }).toEqual({ file, shape });
        expect({ file, sha256: sha256(Buffer.from(values.buffer)) }).toEqual({ file, ...expected });
        expect(recipe.size ?? { height, width }).toEqual({ height, width });
      }
    },
  );

  test('a processor that resizes with torchvision is recognized', () => {
    expect(read({ image_processor_type: 'ViTImageProcessorFast' })).toMatchObject({
      name: 'ViTImageProcessor',
      asksForFast: true,
    });
    expect(read({ image_processor_type: 'ViTImageProcessor' }).asksForFast).toBe(false);
  });

  test('the model type names the processor if its file does not', () => {
    expect(read({ size: 224 }, { model_type: 'swinv2' }).name).toBe('ViTImageProcessor');
    expect(() => read({ size: 224 }, { model_type: 'bert' })).toThrow(
      'preprocessor_config.json does not state `image_processor_type`, and the model type "bert" has no known processor. ' +
        'Add the field, for example "ViTImageProcessor".',
    );
  });

  test('processor_config.json can contain the processor', () => {
    const processor = {
      processor_class: 'CLIPProcessor',
      image_processor: { image_processor_type: 'CLIPImageProcessor' },
    };
    expect(imageProcessor({ preprocessor: undefined, processor, config: undefined }).recipe.size).toEqual({
      height: 224,
      width: 224,
    });
  });

  test('a flag that is null is false, other fields that are null have their defaults', () => {
    const { recipe } = read({
      image_processor_type: 'CLIPImageProcessor',
      do_center_crop: null,
      do_convert_rgb: null,
      image_mean: null,
    });
    expect(recipe).toMatchObject({ alpha: 'discard', resize: { to: { kind: 'shortest_edge', size: 224 } } });
    expect(recipe.crop).toBeUndefined();
    expect(recipe.size).toBeUndefined();
  });

  test.each([
    [
      { image_processor_type: 'LevitImageProcessor' },
      'preprocessor_config.json names LevitImageProcessor, which is not one of the supported image processors: ViTImageProcessor, ',
    ],
    [
      { image_processor_type: 'Siglip2ImageProcessor' },
      'preprocessor_config.json names Siglip2ImageProcessor, which is not',
    ],
    [{ image_processor_type: 'constructor' }, 'preprocessor_config.json names constructor, which is not'],
    [
      { image_processor_type: 'ConvNextImageProcessor' },
      'preprocessor_config.json must state `resample`: versions of transformers have different defaults for ConvNextImageProcessor.',
    ],
    [{ image_processor_type: 'BeitImageProcessor', size: 224 }, 'must state `do_center_crop`'],
    [
      { image_processor_type: 'ViTImageProcessor', resample: 6 },
      '`resample` in preprocessor_config.json must be a number from 0 to 5 or one of nearest, lanczos, bilinear, bicubic, box, hamming, not 6.',
    ],
    [
      { image_processor_type: 'ViTImageProcessor', size: 1e9 },
      '`size` in preprocessor_config.json must be a whole number from 1 to 16384, not 1000000000.',
    ],
    [
      { image_processor_type: 'ViTImageProcessor', size: { longest_edge: 5 } },
      '`size` in preprocessor_config.json must be a number, a height and a width, or a shortest_edge, not {"longest_edge":5}.',
    ],
    [
      { image_processor_type: 'CLIPImageProcessor', size: { shortest_edge: 5, longest_edge: 9 } },
      'must be a height and a width, or a shortest_edge without a longest_edge',
    ],
    [
      { image_processor_type: 'DetrImageProcessor', size: { shortest_edge: 5 } },
      'must be a height and a width, or a shortest_edge and a longest_edge',
    ],
    [
      { image_processor_type: 'ViTImageProcessor', image_std: [0, 1, 1] },
      '`image_std` in preprocessor_config.json must be numbers other than 0, not [0,1,1].',
    ],
    [
      { image_processor_type: 'ViTImageProcessor', image_mean: [1, 2] },
      'must be a list of three numbers, not [1,2]',
    ],
    [
      { image_processor_type: 'ViTImageProcessor', do_rescale: 'yes' },
      '`do_rescale` in preprocessor_config.json must be true or false, not "yes".',
    ],
    [
      { image_processor_type: 'CLIPImageProcessor', use_square_size: true },
      'preprocessor_config.json sets `use_square_size` to true, which is not supported for CLIPImageProcessor.',
    ],
  ])('%o', (preprocessor, message) => {
    expect(() => read(preprocessor)).toThrow(message);
  });

  test.each([
    [
      { input_size: [1, 28, 28] },
      '`input_size` in pretrained_cfg of config.json must be a list of 3 (the channels), the height and the width, not [1,28,28].',
    ],
    [
      { crop_mode: 'corner' },
      '`crop_mode` in pretrained_cfg of config.json must be one of center, squash, border, not "corner".',
    ],
    [{ interpolation: 'random' }, '`interpolation` in pretrained_cfg of config.json must be'],
  ])('timm: %o', (pretrained, message) => {
    const files = { preprocessor: undefined, processor: undefined, config: { pretrained_cfg: pretrained } };
    expect(() => imageProcessor(files)).toThrow(message);
  });
});

describe('readImageProcessor', () => {
  test('reads the files of a folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'processor-'));
    try {
      await expect(readImageProcessor(folder)).rejects.toThrow(
        'The model has no preprocessor_config.json, which states how images are resized and normalized. Add it to the model folder.',
      );
      writeFileSync(
        join(folder, 'preprocessor_config.json'),
        '{"image_processor_type": "DeiTImageProcessor"}',
      );
      expect((await readImageProcessor(folder)).name).toBe('DeiTImageProcessor');
      writeFileSync(join(folder, 'preprocessor_config.json'), '[');
      await expect(readImageProcessor(folder)).rejects.toThrow('is not valid JSON');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
