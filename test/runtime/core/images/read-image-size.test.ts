import { describe, expect, test } from 'vitest';
import { readImageSize } from '#core/images/read-image-size.ts';
import { imageFile, readGoldenImages } from '../../../helpers/golden-images.ts';

const formats = { jpg: 'jpeg', png: 'png', webp: 'webp', gif: 'gif' } as const;

describe('readImageSize', () => {
  test('reads the size of every file', () => {
    for (const [name, { width, height }] of Object.entries(readGoldenImages().decoded)) {
      const format = formats[name.split('.').at(-1) as keyof typeof formats];
      expect({ name, ...readImageSize(imageFile(name)) }).toEqual({ name, format, width, height });
    }
  });

  test.each([
    ['rgb-1x1.png', 16],
    ['baseline-444.jpg', undefined],
    ['lossy-exif.webp', 24],
    ['plain.gif', 6],
  ])('a small %s that states a huge size is rejected', (name, at) => {
    const bytes = imageFile(name);
    // The size in a JPEG file is behind the marker of its frame.
    const position = at ?? bytes.indexOf(Buffer.of(0xff, 0xc0)) + 5;
    bytes.fill(0xee, position, position + (name.endsWith('png') ? 8 : 4));
    expect(() => readImageSize(bytes)).toThrow(
      /^The (PNG|JPEG|WebP|GIF) image has \d+ x \d+ pixels; at most 40000000 pixels and 65535 per side are allowed\./,
    );
  });

  test.each([
    [Buffer.alloc(0), 'The image is empty. Send the bytes of a JPEG, PNG, WebP or GIF file.'],
    [
      Buffer.from('BM'),
      'The image is not a JPEG, PNG, WebP or GIF file. Convert it to one of these formats.',
    ],
    [
      Buffer.from('GIF89a\u{1}'),
      'Cannot read the GIF image: the file ends at byte 7, before its header is complete. Send the complete file, or save the image again.',
    ],
  ])('%o', (bytes, message) => {
    expect(() => readImageSize(bytes)).toThrow(message);
  });

  test('limits apply to bytes and pixels', () => {
    const bytes = imageFile('rgb-17x23.png');
    expect(() => readImageSize(bytes, { bytes: 100, pixels: 1000 })).toThrow('at most 100 are allowed');
    expect(() => readImageSize(bytes, { bytes: 10_000, pixels: 390 })).toThrow(
      '17 x 23 pixels; at most 390 pixels',
    );
    expect(readImageSize(bytes, { bytes: 10_000, pixels: 391 }).width).toBe(17);
  });
});
