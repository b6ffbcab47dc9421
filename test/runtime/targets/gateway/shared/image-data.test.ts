import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { imageData } from '#gateway/shared/image-data.ts';
import { imageName } from '#gateway/store/image-name.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';

const [circle] = SHAPES;
const base64 = circle?.base64 ?? '';

test.each(SHAPES)(
  '$name has a name with its format, size and hash, and without its data',
  ({ bytes, base64: data, name }) => {
    const format = { png: 'PNG', jpg: 'JPEG', gif: 'GIF', webp: 'WebP' }[name.split('.').at(-1) ?? ''];
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    const expected = new RegExp(
      String.raw`^\[${format} image, \d+ x \d+ pixels, ${bytes.length} bytes, sha256 ${hash}\]$`,
    );
    // Line breaks and the declared type do not change the image.
    for (const form of [data, data.replaceAll(/.{60}/g, '$&\n'), `data:text/html;base64,${data}`])
      expect(imageName(form)).toMatch(expected);
  },
);

test.each([
  '',
  'a text',
  `${base64}!`,
  `data:image/svg+xml;base64,${Buffer.from('<svg/>').toString('base64')}`,
  7,
  null,
])('%j has no name', (value) => {
  expect(imageName(value)).toBeUndefined();
});

test('padding is only allowed at the end', () => {
  const digits = base64.replace(/=+$/, '');
  const whole = digits.slice(0, digits.length - (digits.length % 4));
  expect(imageData(whole)).toBe(whole);
  expect(imageData(`${whole.slice(0, -2)}==\r\n`)).toBe(`${whole.slice(0, -2)}==\r\n`);
  for (const wrong of [`${whole}===`, `${whole.slice(0, 80)}=${whole.slice(80)}`, `${whole}= text`])
    expect(imageData(wrong)).toBeUndefined();
});

test('millions of line breaks are read in linear time', () => {
  const breaks = '\n'.repeat(4_000_000);
  expect(imageData(`${base64}${breaks}!`)).toBeUndefined();
  expect(imageData(`${base64.replace(/=+$/, '')}${breaks}`)).toBeDefined();
  expect(imageData(`${base64.replace(/=+$/, '')}=${breaks}!`)).toBeUndefined();
});
