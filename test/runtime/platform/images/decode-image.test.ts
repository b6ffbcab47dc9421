import { describe, expect, test } from 'vitest';
import { decodeImage } from '#platform/images/decode-image.ts';
import { sha256 } from '#platform/sha256.ts';
import { damageImage, decodeDamaged } from '../../../helpers/damage-image.ts';
import { imageFile, imageFiles, readGoldenImages } from '../../../helpers/golden-images.ts';

const { decoded } = readGoldenImages();

describe('decodeImage', () => {
  test('every file has golden pixels', () => {
    expect(imageFiles()).toEqual(Object.keys(decoded).toSorted());
  });

  test.each(Object.entries(decoded))(
    '%s has the pixels of Pillow',
    async (name, { width, height, ...expected }) => {
      const image = await decodeImage(imageFile(name), 'discard');
      expect({ width: image.width, height: image.height }).toEqual({ width, height });
      expect(sha256(image.pixels)).toBe(expected.sha256);
      const white = await decodeImage(imageFile(name), 'white');
      expect(sha256(white.pixels)).toBe(expected.white ?? expected.sha256);
    },
  );

  test.each([
    ['baseline-420.jpg', 'before its end marker'],
    ['rgb-17x23.png', 'its pixel data end after'],
    ['lossy.webp', 'its data cannot be decoded'],
    ['plain.gif', 'its data end after'],
  ])('a truncated %s is rejected', async (name, reason) => {
    const bytes = imageFile(name);
    await expect(decodeImage(bytes.subarray(0, bytes.length * 0.6), 'discard')).rejects.toThrow(reason);
  });

  test('a decoder is usable after an error, and by several calls at the same time', async () => {
    const names = ['baseline-420.jpg', 'lossy-alpha.webp', 'progressive-444.jpg', 'lossless.webp'];
    const damaged = imageFile('baseline-444.jpg');
    // Without its tables, libjpeg ends the program that contains it.
    damaged.fill(0, 20, 160);
    const results = await Promise.allSettled(
      names.flatMap((name) => [decodeImage(damaged, 'discard'), decodeImage(imageFile(name), 'discard')]),
    );
    const pixels = results.map((result) =>
      result.status === 'fulfilled' ? sha256(result.value.pixels) : 'error',
    );
    expect(pixels).toEqual(names.flatMap((name) => ['error', decoded[name]?.sha256]));
  });

  test('a JPEG with thousands of passes is rejected before it is decoded', async () => {
    const bytes = imageFile('progressive-420.jpg');
    const scan = bytes.indexOf(Buffer.of(0xff, 0xda));
    const passes = Buffer.concat(Array.from({ length: 200 }, () => bytes.subarray(scan, -2)));
    await expect(
      decodeImage(Buffer.concat([bytes.subarray(0, scan), passes, bytes.subarray(-2)]), 'discard'),
    ).rejects.toThrow(
      /^Cannot read the JPEG image: it has \d+ passes over 97 x 61 pixels, which would take too long\. /,
    );
  });

  test('a PNG with more data than pixels is rejected without decompressing them', async () => {
    const { deflateSync, crc32 } = await import('node:zlib');
    const bytes = imageFile('rgb-1x1.png');
    const start = bytes.indexOf('IDAT');
    const data = Buffer.concat([Buffer.from('IDAT'), deflateSync(Buffer.alloc(50_000_000))]);
    const numbers = Buffer.alloc(8);
    numbers.writeUInt32BE(data.length - 4, 0);
    numbers.writeUInt32BE(crc32(data), 4);
    const bomb = Buffer.concat([
      bytes.subarray(0, start - 4),
      numbers.subarray(0, 4),
      data,
      numbers.subarray(4),
    ]);
    await expect(decodeImage(bomb, 'discard')).rejects.toThrow(
      'cannot be decompressed to the size that its header states',
    );
  });

  test('damaged files have pixels or one sentence', async () => {
    const results = { pixels: 0, sentence: 0 };
    const files = imageFiles()
      .map(imageFile)
      .filter(({ length }) => length < 3000);
    for (const bytes of files) {
      for (let seed = 0; seed < 12; seed += 1) results[await decodeDamaged(damageImage(bytes, seed))] += 1;
    }
    expect(results.pixels).toBeGreaterThan(100);
    expect(results.sentence).toBeGreaterThan(100);
  });
});
