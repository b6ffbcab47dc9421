import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MODEL_TYPE_NAMES } from '#contract/model-types.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { FIXTURE_MODELS, MANIFESTS } from './fixture-models.ts';

test('manifests of all fixture models are byte-for-byte unchanged', async () => {
  const manifests = FIXTURE_MODELS.map((model) => [model, manifestOf(model)] as const);
  expect(new Set(manifests.map(([, { modelType }]) => modelType))).toEqual(new Set(MODEL_TYPE_NAMES));
  await expect(`${JSON.stringify(Object.fromEntries(manifests), null, 1)}\n`).toMatchFileSnapshot(MANIFESTS);
});

/** Fields are in file order. Values that depend on the folder of the clone, and the builder's version, are omitted. */
function manifestOf(model: string): Record<string, unknown> {
  const { origin, ...manifest } = JSON.parse(readFileSync(join(builtAssets(model), 'manifest.json'), 'utf8'));
  expect(origin).toMatch(/^[0-9a-f]+$/);
  return { ...manifest, builtBy: 'encoderfile' };
}
