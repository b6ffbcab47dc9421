import { crc32 } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { readImageSize } from '#core/images/read-image-size.ts';
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

  test('a scan without data is rejected', async () => {
    // Each scan of a file of a few bytes would otherwise take as long as a whole image.
    const bytes = imageFile('cmyk.jpg');
    const scan = bytes.indexOf(Buffer.of(0xff, 0xda));
    const start = scan + 2 + bytes.readUInt16BE(scan + 2);
    const empty = Buffer.concat([bytes.subarray(0, start), bytes.subarray(-2)]);
    await expect(decodeImage(empty, 'discard')).rejects.toThrow(
      'Cannot read the JPEG image: the data of a scan end too early. ',
    );
  });

  test('files with millions of parts are rejected', async () => {
    const many = (part: Buffer): Buffer => Buffer.alloc(part.length * 100_001, part);
    const after = (name: string, at: number, part: Buffer): Buffer => {
      const bytes = imageFile(name);
      return Buffer.concat([bytes.subarray(0, at), many(part), bytes.subarray(at)]);
    };
    const gif = imageFile('plain.gif');
    const colors = ((gif[10] ?? 0) & 128) === 0 ? 0 : 3 << (((gif[10] ?? 0) & 7) + 1);
    const empty = Buffer.from('00000000745458740df2b0b6', 'hex');
    empty.writeUInt32BE(crc32(empty.subarray(4, 8)), 8);
    for (const [format, bytes] of [
      ['JPEG', after('baseline-444.jpg', 2, Buffer.of(0xff, 0xfe, 0, 2))],
      ['PNG', after('rgb-8.png', 33, empty)],
      ['GIF', after('plain.gif', 13 + colors, Buffer.of(0x21, 0xfe, 0))],
      ['WebP', after('animated.webp', 30, Buffer.from('JUNK\0\0\0\0'))],
    ] as const) {
      await expect(decodeImage(bytes, 'discard')).rejects.toThrow(
        `Cannot read the ${format} image: it has more than 100000 parts. `,
      );
    }
    const tables = after('baseline-444.jpg', 2, Buffer.from(`ffc40014${'00'.repeat(17)}05`, 'hex'));
    await expect(decodeImage(tables, 'discard')).rejects.toThrow(
      'Cannot read the JPEG image: its Huffman tables have more than 1000000 bytes. ',
    );
  });

  test.each([
    ['rgba-16.png', 'images with 4 x 16 bits per pixel can have at most '],
    ['rgba-8-interlaced.png', 'interlaced images with 4 x 8 bits per pixel can have at most '],
    ['lossless.webp', 'lossless images can have at most '],
  ])('%s can have half of the allowed pixels', async (name, message) => {
    const { width, height } = readImageSize(imageFile(name));
    const limits = { bytes: 1_000_000, pixels: width * height };
    await expect(decodeImage(imageFile(name), 'discard', limits)).rejects.toThrow(
      `${message}${Math.floor((width * height) / 2)} pixels, but it has ${width} x ${height}. `,
    );
    const twice = { ...limits, pixels: limits.pixels * 2 };
    expect((await decodeImage(imageFile(name), 'discard', twice)).width).toBe(width);
  });

  test('a PNG with more data than pixels is rejected without decompressing them', async () => {
    const { deflateSync } = await import('node:zlib');
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
