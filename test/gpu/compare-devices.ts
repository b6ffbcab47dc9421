import { join } from 'node:path';
import type { GpuPrecision } from '#contract/devices.ts';
import { type Engine, type InferInput, openEngine } from '#encoder/engine/engine.ts';
import type { DeviceState } from '#encoder/engine/serving.ts';
import { FIXTURES } from '../helpers/paths.ts';

/** How far the results of a GPU are from those of the CPU. */
export interface Comparison {
  /** The devices that the engine reported. A second one reports that the GPU was lost. */
  readonly states: readonly DeviceState[];
  /** The largest difference, relative to the largest value; Infinity if a result has another size. */
  readonly difference: number;
}

const TEXTS = ['A short text.', 'a text that is longer than the other two texts '.repeat(4), 'three'];
const IMAGES = ['circle.png', 'square.jpg'].map((file) => ({ image: join(FIXTURES, 'shapes', file) }));

/** Runs texts, images or both on a GPU and on the CPU. `assets` is the folder that `build --no-build` writes. */
export async function compareDevices(assets: string, precision?: GpuPrecision): Promise<Comparison> {
  const states: DeviceState[] = [];
  const [onCpu, onGpu] = await Promise.all([
    openOn(assets, 'cpu'),
    openOn(assets, 'gpu', precision, (state) => void states.push(state)),
  ]);
  try {
    const [expected, found] = [await infer(onCpu), await infer(onGpu)];
    const differences = expected.map((values, at) => differenceOf(values, found[at] ?? []));
    return { states, difference: Math.max(...differences) };
  } finally {
    await Promise.all([onCpu.close(), onGpu.close()]);
  }
}

export const openOn = async (
  assets: string,
  device: 'cpu' | 'gpu',
  precision?: GpuPrecision,
  onDevice?: (state: DeviceState) => void,
): Promise<Engine> =>
  await openEngine(assets, { threads: () => 1, prepack: true, device, precision, onDevice });

async function infer(engine: Engine): Promise<number[][]> {
  const { manifest } = engine;
  const texts = TEXTS.map((text) => (manifest.mask ? `${manifest.mask.token} ${text}` : text));
  const isOnlyImages = manifest.images !== undefined && !manifest.images.encoder;
  const inputs: InferInput[] = [...(isOnlyImages ? [] : texts), ...(manifest.images ? IMAGES : [])];
  const results = await engine.infer(inputs, { labels: manifest.entities && ['person', 'date'] });
  return results.map(({ values }) => [...values]);
}

function differenceOf(expected: readonly number[], found: readonly number[]): number {
  if (expected.length !== found.length) return Infinity;
  const largest = expected.reduce((most, value) => Math.max(most, Math.abs(value)), 1);
  const differences = expected.map((value, at) => Math.abs(value - (found[at] ?? NaN)));
  return differences.some(Number.isNaN) ? Infinity : Math.max(0, ...differences) / largest;
}
