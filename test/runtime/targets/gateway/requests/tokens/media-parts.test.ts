import { expect, test } from 'vitest';
import { mediaIn } from '#gateway/requests/guardrails/input-parts.ts';

test('an image is found in a request with 200,000 other messages', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const texts = Array.from({ length: 200_000 }, () => ({ role: 'user', content: 'x' }));
  const messages = [{ role: 'user', content: [image] }, ...texts];
  expect(mediaIn({ messages })).toEqual([{ kind: 'image', base64: 'AA==', detail: undefined }]);
});
