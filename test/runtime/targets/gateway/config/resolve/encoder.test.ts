import { expect, test } from 'vitest';
import { read } from '../read.ts';

// A host name, such as a container's, can resolve to a private address, which requires `local`.
test.each([
  ['encoders', 'url: "http://encoder:8080", local: true', true],
  ['encoders', 'url: "http://encoder:8080"', false],
  ['encoders', 'url: "http://10.0.0.7:8080"', true],
  ['encoders', 'url: "http://10.0.0.7:8080", local: false', false],
  ['providers', 'type: encoder, api_base: "http://encoder:8080", local: true', true],
  ['providers', 'type: encoder, api_base: "http://encoder:8080"', false],
])('%s: {%s} sets local to %s', async (section, entry, local) => {
  const { models } = await read(`${section}: {moods: {${entry}}}`);
  expect(models.providers).toMatchObject([{ name: 'moods', type: 'encoder', local }]);
});
