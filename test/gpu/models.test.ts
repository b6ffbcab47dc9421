import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type Engine, type InferInput, openEngine } from '#encoder/engine/engine.ts';
import type { DeviceState } from '#encoder/engine/serving.ts';
import { builtAssets } from '../helpers/built.ts';
import { FIXTURES } from '../helpers/paths.ts';

/** Models that GPUs without float16, such as software drivers, cannot run, and static models. */
const ONLY_ON_CPU = new Set(['float16', 'static']);

const MODELS = readdirSync(join(FIXTURES, 'models')).filter(
  (model) => existsSync(join(FIXTURES, 'models', model, 'encoderfile.yml')) && !ONLY_ON_CPU.has(model),
);

const TEXTS = ['A short text.', 'a text that is longer than the other two texts '.repeat(4), 'three'];
const IMAGES = ['circle.png', 'square.jpg'].map((file) => ({ image: join(FIXTURES, 'shapes', file) }));

async function infer(engine: Engine): Promise<number[][]> {
  const { manifest } = engine;
  const texts = TEXTS.map((text) => (manifest.mask ? `${manifest.mask.token} ${text}` : text));
  const isOnlyImages = manifest.images !== undefined && !manifest.images.encoder;
  const inputs: InferInput[] = [...(isOnlyImages ? [] : texts), ...(manifest.images ? IMAGES : [])];
  const results = await engine.infer(inputs, { labels: manifest.entities && ['person', 'date'] });
  return results.map(({ values }) => [...values]);
}

const open = async (model: string, device: 'cpu' | 'gpu', states: DeviceState[] = []): Promise<Engine> =>
  await openEngine(builtAssets(model), {
    threads: () => 1,
    prepack: true,
    device,
    onDevice: (state) => void states.push(state),
  });

test.each(MODELS)('%s returns the same results on the GPU as on the CPU', async (model) => {
  const states: DeviceState[] = [];
  const [onCpu, onGpu] = await Promise.all([open(model, 'cpu'), open(model, 'gpu', states)]);
  try {
    const [expected, found] = [await infer(onCpu), await infer(onGpu)];
    // A second state would report that the GPU was lost.
    expect(states).toMatchObject([{ device: 'gpu' }]);
    expect(found.map(({ length }) => length)).toEqual(expected.map(({ length }) => length));
    for (const [at, values] of expected.entries()) {
      const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
      const differences = values.map((value, index) => Math.abs(value - (found[at]?.[index] ?? NaN)));
      expect(Math.max(...differences) / largest).toBeLessThanOrEqual(1e-5);
    }
  } finally {
    await Promise.all([onCpu.close(), onGpu.close()]);
  }
});

test('a static model runs on the CPU', async () => {
  const engine = await open('static', 'gpu');
  await expect(engine.infer(['a'])).rejects.toThrow(
    /^--device gpu: static is a static model, which runs faster on the CPU\. Use --device auto or cpu/,
  );
  await engine.close();
});
