import { afterAll, describe, expect, test } from 'vitest';
import { type Engine, openEngine } from '#encoder/engine/engine.ts';
import { textVector } from '#encoder/math/inference.ts';
import { expectClose } from '#test/helpers/close.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { goldenTowers, TOWER_IMAGES, TOWER_TEXTS, TOWERS } from '#test/helpers/golden-towers.ts';

describe.each(TOWERS)('%s', (model) => {
  const golden = goldenTowers(model);
  let engine: Engine | undefined;
  afterAll(() => engine?.close());
  const open = async (): Promise<Engine> =>
    (engine ??= await openEngine(builtAssets(model), { threads: () => 1, prepack: true }));

  test('tokens and vectors of texts match transformers, alone and together', async () => {
    const { manifest, infer } = await open();
    const together = await infer(TOWER_TEXTS);
    for (const [at, text] of TOWER_TEXTS.entries()) {
      const [alone] = await infer([text]);
      for (const found of [together[at], alone]) {
        expect([...(found?.text.ids ?? [])], text).toEqual(golden.ids[at]);
        expectClose([...(found?.values ?? [])], golden.texts[at], text);
      }
    }
    expect(manifest.width).toBe(golden.texts[0]?.length);
  });

  test('vectors of images match transformers, between texts and alone', async () => {
    const { manifest, infer } = await open();
    const mixed = await infer(
      TOWER_IMAGES.flatMap(({ path }, at) => [TOWER_TEXTS[at] ?? '', { image: path }]),
    );
    expect(mixed).toHaveLength(TOWER_IMAGES.length * 2);
    for (const [at, { name, path }] of TOWER_IMAGES.entries()) {
      const [alone] = await infer([{ image: path }]);
      expectClose([...(mixed[at * 2]?.values ?? [])], golden.texts[at], `text ${at}`);
      for (const found of [mixed[at * 2 + 1], alone]) {
        expectClose([...(found?.values ?? [])], golden.images[at], name);
        if (!found) throw new Error('no result');
        expectClose([...textVector(found, manifest, {})], golden.images[at], name);
      }
    }
  });
});
