import { expect, test } from 'vitest';
import { mediaIn } from '#gateway/requests/guardrails/input-parts.ts';

test('a request can have more messages than a function call can have arguments', () => {
  const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } };
  const texts = Array.from({ length: 200_000 }, () => ({ role: 'user', content: 'x' }));
  const messages = [{ role: 'user', content: [image] }, ...texts];
  expect(mediaIn({ messages })).toEqual([{ kind: 'image', base64: 'AA==', detail: undefined }]);
});
