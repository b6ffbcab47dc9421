import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { modelMetadata } from '#encoder/schemas/model.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';
import { expectToMatch } from './matches.ts';
import { appAround } from './open-app.ts';

async function modelWith(manifest: Partial<Manifest>): Promise<unknown> {
  const { app } = appAround(standInEngine(manifest, () => expect.unreachable()));
  const body: unknown = await (await app.request('/model')).json();
  expectToMatch(body, modelMetadata);
  return body;
}

const FACTS = { model_id: 'stand-in', model_type: 'sequence_classification', version: '1.0.0' };

test("GET /model returns the model's license", async () => {
  expect(await modelWith({ license: { id: 'apache-2.0', source: 'config' } })).toEqual({
    ...FACTS,
    license: 'apache-2.0',
  });
  const license = { id: 'other', name: 'llama3', link: 'LICENSE', source: 'card' } as const;
  expect(await modelWith({ license })).toEqual({
    ...FACTS,
    license: 'other',
    license_name: 'llama3',
    license_link: 'LICENSE',
  });
});

test('GET /model returns the facts of the model card, and omits missing fields', async () => {
  expect(await modelWith({ card: { tags: ['a'], languages: ['en', 'de'] } })).toEqual({
    ...FACTS,
    tags: ['a'],
    languages: ['en', 'de'],
  });
  expect(await modelWith({})).toEqual(FACTS);
});
