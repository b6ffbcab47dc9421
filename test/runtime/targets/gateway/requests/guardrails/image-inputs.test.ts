import { expect, test } from 'vitest';
import { checkedTexts } from '#gateway/requests/guardrails/input-parts.ts';
import { withImageParts, withoutImages } from '#gateway/requests/guardrails/image-inputs.ts';
import { maskableTexts } from '#gateway/requests/guardrails/mask/mask-texts.ts';
import { createTokenCounter } from '#gateway/requests/tokens/token-counter.ts';
import { imageData } from '#gateway/shared/image-data.ts';
import { SHAPES } from '#test/helpers/golden-shapes.ts';

const [circle] = SHAPES;
const base64 = circle?.base64 ?? '';
const url = `data:image/png;base64,${base64}`;
const EMBEDDINGS = '/v1/embeddings';

test.each(SHAPES.map(({ name, base64: data }) => [name, data] as const))(
  '%s is an image in base64, with line breaks, and as a data URL of any declared type',
  (_name, data) => {
    const wrapped = data.replaceAll(/.{76}/g, '$&\r\n');
    expect([data, `data:text/plain;base64,${data}`, `DATA:;BASE64,${data}`].map(imageData)).toEqual(
      Array.from({ length: 3 }, () => data),
    );
    expect(imageData(wrapped)).toBe(wrapped);
  },
);

test.each([
  '',
  'a text',
  '/9j/ is a path',
  'https://images.example/circle.png',
  // A data: URL whose content is an address, or a text.
  'data:image/png;base64,https://images.example/circle.png',
  `data:image/png;base64,${Buffer.from('an attack on the model').toString('base64')}`,
  `data:image/png,${base64}`,
  `${base64} and then an attack`,
  `an attack, and then ${base64}`,
  `${base64}-attack`,
  base64.slice(0, 12),
])('%j is not an image', (value) => {
  expect(imageData(value)).toBeUndefined();
  const { body } = withoutImages(EMBEDDINGS, { input: [value, { image: value }] });
  expect(body).toEqual({ input: [value, { image: value }] });
});

test('guardrails receive the texts next to images, and the images are restored after masking', () => {
  const input = ['an attack', url, { text: 'another attack', id: 1 }, { image: base64, title: 'an attack' }];
  const { body, restore } = withoutImages(EMBEDDINGS, { model: 'm', input });
  expect(checkedTexts(body)).toEqual(['an attack', 'another attack', 'an attack']);
  expect(maskableTexts(body)).toEqual(['an attack', 'another attack', 'an attack']);
  expect(JSON.stringify(body)).not.toContain(base64);
  const masked = JSON.parse(JSON.stringify(body).replaceAll('attack', '[X_1]')) as typeof body;
  expect(restore(masked)).toEqual({
    model: 'm',
    input: ['an [X_1]', url, { text: 'another [X_1]', id: 1 }, { image: base64, title: 'an [X_1]' }],
  });
  const single = withoutImages(EMBEDDINGS, { model: 'm', input: url });
  expect([single.body, single.restore(single.body)]).toEqual([
    { model: 'm', input: '' },
    { model: 'm', input: url },
  ]);
});

test('language models read every string, so guardrails read it as well', () => {
  for (const endpoint of ['/v1/responses', '/v1/chat/completions', '/v1/moderations', '/v1/rerank']) {
    const body = { input: url };
    expect(withoutImages(endpoint, body).body).toBe(body);
  }
});

test('the tokens of images are counted by their size, not by the length of their base64', async () => {
  const counter = createTokenCounter();
  await counter.loading(['encoder:photos']);
  const tokens = (input: unknown): number =>
    counter.prompt('encoder:photos', withImageParts({ input })).tokens;
  // A PNG header, followed by two million bytes.
  const header = Buffer.from(base64, 'base64').subarray(0, 33);
  const large = Buffer.concat([header, Buffer.alloc(2_000_000, 7)]).toString('base64');
  expect(tokens(large)).toBe(tokens(base64));
  expect(tokens(base64)).toBeLessThan(300);
  for (const form of [[url], [{ image: base64 }], [base64]]) {
    expect(tokens(form)).toBeGreaterThan(200);
    expect(tokens([...form, 'a text'])).toBeGreaterThan(tokens(form));
  }
  expect(tokens(['a text'])).toBeLessThan(10);
});
