import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { MAX_GPU_DIFFERENCE } from '#contract/devices.ts';
import { builtAssets } from '../helpers/built.ts';
import { FIXTURES } from '../helpers/paths.ts';
import { compareDevices, openOn } from './compare-devices.ts';

const MODELS = readdirSync(join(FIXTURES, 'models')).filter((model) =>
  existsSync(join(FIXTURES, 'models', model, 'encoderfile.yml')),
);
/** Models that only GPUs with float16 can run, which excludes SwiftShader. */
const HALF = new Set(['float16']);
const isStatic = (model: string): boolean => model === 'static';

test.each(MODELS.filter((model) => !HALF.has(model) && !isStatic(model)))(
  '%s returns the same results on the GPU as on the CPU',
  async (model) => {
    const { states, difference } = await compareDevices(builtAssets(model));
    expect(states).toMatchObject([{ device: 'gpu', precision: 'float32' }]);
    expect(difference).toBeLessThanOrEqual(MAX_GPU_DIFFERENCE.float32);
  },
);

test.each(MODELS.filter((model) => !isStatic(model)))(
  '%s returns similar results with float16, or uses float32',
  async (model) => {
    const opening = compareDevices(builtAssets(model), 'float16');
    // A model with weights in float16 has no other form.
    if (HALF.has(model) && (await opening.catch(() => undefined)) === undefined) return;
    const { states, difference } = await opening;
    const [state] = states;
    if (state?.device !== 'gpu') throw new Error('the model did not run on the GPU');
    expect(state.note === undefined).toBe(state.precision === 'float16');
    // Other inputs than those for the comparison at the start can differ a little more.
    expect(difference).toBeLessThanOrEqual(2 * MAX_GPU_DIFFERENCE[state.precision]);
  },
);

test('a static model runs on the CPU', async () => {
  const engine = await openOn(builtAssets('static'), 'gpu');
  await expect(engine.infer(['a'])).rejects.toThrow(
    /^--device gpu: static is a static model, which runs faster on the CPU\. Use --device auto or cpu/,
  );
  await engine.close();
});
