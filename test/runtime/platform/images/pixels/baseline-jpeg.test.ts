import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import * as fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { jpegImage } from '#core/images/formats/jpeg/jpeg-image.ts';
import { DEFAULT_IMAGE_LIMITS, readImageSize } from '#core/images/read-image-size.ts';
import { baselineJpeg } from '#platform/images/pixels/baseline-jpeg.ts';
import { sha256 } from '#platform/sha256.ts';
import { damageImage } from '#test/helpers/damage-image.ts';
import { imageFile, imageFiles, readGoldenImages } from '#test/helpers/golden-images.ts';

const { decoded } = readGoldenImages();

const imageSizeOf = (name: string) => readImageSize(imageFile(name), DEFAULT_IMAGE_LIMITS);
const decode = (bytes: Uint8Array) => baselineJpeg(bytes, readImageSize(bytes, DEFAULT_IMAGE_LIMITS));

/** Files that the general decoders decode: of other kinds, or with colors that are too narrow to be interpolated. */
const OTHERS = [
  '1x1.jpg',
  '1x40.jpg',
  'baseline-14.jpg',
  'baseline-411.jpg',
  'baseline-440.jpg',
  'cmyk-64.jpg',
  'cmyk-progressive.jpg',
  'cmyk.jpg',
  'grey-progressive.jpg',
  'progressive-420.jpg',
  'progressive-422.jpg',
  'progressive-440.jpg',
  'progressive-444.jpg',
  'restarts-progressive.jpg',
  'rgb.jpg',
  'ycck-progressive.jpg',
  'ycck.jpg',
];

const usual = imageFiles().filter((name) => name.endsWith('.jpg') && !OTHERS.includes(name));

describe('baselineJpeg', () => {
  test.each(usual)('%s has the pixels of Pillow', (name) => {
    expect(sha256(decode(imageFile(name))?.pixels ?? new Uint8Array())).toBe(decoded[name]?.sha256);
  });

  test.each(OTHERS)('%s is left to the general decoders', (name) => {
    expect(decode(imageFile(name))).toBeUndefined();
  });

  test.each([
    [
      'without its last byte of data',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -3), bytes.subarray(-2)]),
    ],
    [
      'with a byte after its data',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -2), Buffer.of(0), bytes.subarray(-2)]),
    ],
    [
      'that ends in the middle',
      (bytes: Buffer) => Buffer.concat([bytes.subarray(0, -900), Buffer.of(0xff, 0xd9)]),
    ],
    ['of another size than checked', (bytes: Buffer) => bytes],
  ])('a file %s is left to the general decoder', (what, change) => {
    const file = imageFile('restarts.jpg');
    const { width, height } = readImageSize(file, DEFAULT_IMAGE_LIMITS);
    const size = { width: what.startsWith('of another') ? width + 1 : width, height };
    expect(baselineJpeg(change(file), size)).toBeUndefined();
  });

  test('damaged files have pixels of their size, or are left to the general decoder', () => {
    const small = usual.filter((file) => imageFile(file).length < 30_000);
    const lengths = small.flatMap((name) => {
      const { width, height } = imageSizeOf(name);
      return Array.from({ length: 60 }, (_, seed) => {
        const image = baselineJpeg(damageImage(imageFile(name), seed), { width, height });
        return image === undefined ? 'left' : image.pixels.length - width * height * 3;
      });
    });
    expect(new Set(lengths)).toEqual(new Set([0, 'left']));
  });

  describe('encoded images', () => {
    let encode: (width: number, height: number, options: EncodeOptions) => Uint8Array;
    beforeAll(async () => {
      encode = await openEncoder();
    });

    test('every size, quality and kind of colors has the pixels of the decoder without WebAssembly', () => {
      const side = fc.integer({ min: 5, max: 90 });
      const quality = fc.integer({ min: 1, max: 100 });
      fc.assert(
        fc.property(side, side, quality, fc.constantFrom(1, 2), (width, height, chosen, subsample) => {
          const bytes = encode(width, height, { quality: chosen, chroma_subsample: subsample });
          const { pixels } = jpegImage(bytes);
          expect(sha256(decode(bytes)?.pixels ?? new Uint8Array())).toBe(sha256(pixels));
        }),
        { numRuns: 80 },
      );
    });
  });
});

interface EncodeOptions {
  readonly quality: number;
  /** Pixels per sample of a color in each direction. */
  readonly chroma_subsample: number;
}

interface Encoder {
  readonly encode: (pixels: Uint8Array, width: number, height: number, options: object) => Uint8Array;
}

/** An encoder for images with edges and noise. */
async function openEncoder(): Promise<(width: number, height: number, options: EncodeOptions) => Uint8Array> {
  const { default: factory } = await import('@jsquash/jpeg/codec/enc/mozjpeg_enc.js');
  const { defaultOptions } = await import('@jsquash/jpeg/meta.js');
  const wasmBinary = readFileSync(
    createRequire(import.meta.url).resolve('@jsquash/jpeg/codec/enc/mozjpeg_enc.wasm'),
  );
  const encoder = (await factory({ wasmBinary })) as unknown as Encoder;
  return (width, height, options) => {
    const pixels = Uint8Array.from({ length: width * height * 4 }, (_, at) =>
      at % 4 === 3 ? 255 : ((at >> 5) % 3) * 100 + (Math.imul(at, 40_503) & 31),
    );
    return encoder.encode(pixels, width, height, {
      ...defaultOptions,
      ...options,
      baseline: true,
      progressive: false,
      auto_subsample: false,
    });
  };
}
