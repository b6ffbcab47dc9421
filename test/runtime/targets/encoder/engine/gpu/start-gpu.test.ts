import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { GpuPrecision } from '#contract/devices.ts';
import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import { isHost, PLATFORMS } from '#contract/platforms.ts';
import type { GpuLane } from '#encoder/engine/gpu/gpu-lane.ts';
import { explainGpuError, type Gpu, startGpu } from '#encoder/engine/gpu/start-gpu.ts';
import type { DeviceState } from '#encoder/engine/serving.ts';
import { handClock } from '#test/helpers/hand-clock.ts';

const hasWebGpu = PLATFORMS.some((platform) => isHost(platform, process) && platform.hasWebGpu);

beforeEach(() => void vi.stubEnv('ENCODERFILE_SOFTWARE_GPU', '1'));
const started: Gpu[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((gpu) => gpu.close()));
});

const PLAN = {
  minTokens: 1,
  maxTokens: 100,
  maxPadding: 10,
  gpu: { run: 5, token: 1 },
  cpu: { run: 0, token: 2 },
  isSlower: false,
};
const REASON = 'no more memory';

/** A GPU that opens as often as `results` has no errors; the last result is repeated. */
function setUp(results: readonly (Error | undefined)[], precision: GpuPrecision = 'float32') {
  const clock = handClock();
  const states: DeviceState[] = [];
  const attached: boolean[] = [];
  const precisions: GpuPrecision[] = [];
  let lose: (error: unknown) => void = () => {};
  const body = { kind: 'graph', graph: new Uint8Array(), weightsFolder: '' } as const;
  const gpu = startGpu(
    {
      device: 'auto',
      precision,
      model: { addon: '', body, prepack: true, manifest: { name: 'model' } as Manifest },
      cpu: { run: () => Promise.reject(new Error('the CPU is not used')) },
      cpuThreads: 1,
      probes: () => Promise.resolve([]),
    },
    {
      onDone: () => {},
      onFailed: () => {},
      onRoom: () => {},
      attach: () => void attached.push(true),
      detach: () => void attached.push(false),
      onState: (state) => void states.push(state),
    },
    clock,
    ({ precision: chosen }, _hooks, onLost) => {
      const error = results[Math.min(precisions.length, results.length - 1)];
      precisions.push(chosen);
      if (error) return Promise.reject(error);
      lose = onLost;
      const lane: GpuLane = {
        plan: PLAN,
        running: () => 0,
        send: () => {},
        remaining: () => 0,
        close: () => Promise.resolve(),
      };
      return Promise.resolve(lane);
    },
  );
  started.push(gpu);
  return { gpu, clock, states, attached, precisions, lose: () => lose(new Error(REASON)) };
}

const LOST = { device: 'cpu', reason: `the GPU was lost: ${REASON}`, isFailure: true };
const USED = { device: 'gpu', precision: 'float32', maxTokens: PLAN.maxTokens };

test.skipIf(!hasWebGpu)('a lost GPU is opened again after 10 seconds, up to three times', async () => {
  const { gpu, clock, states, attached, precisions, lose } = setUp([undefined]);
  await gpu.ready;
  expect(states).toMatchObject([USED]);
  for (let times = 1; times <= 3; times++) {
    lose();
    expect(states.at(-1)).toMatchObject(LOST);
    expect(attached.at(-1)).toBe(false);
    expect(clock.waiting()).toEqual([10_000]);
    clock.pass(10_000);
    await expect.poll(() => states.at(-1)).toMatchObject(USED);
    expect(attached.at(-1)).toBe(true);
  }
  lose();
  expect(states.at(-1)).toMatchObject(LOST);
  expect(clock.waiting()).toEqual([]);
  expect(precisions.length).toBe(4);
});

test.skipIf(!hasWebGpu)('a GPU that cannot be opened again leaves the model on the CPU', async () => {
  const { gpu, clock, states, lose } = setUp([undefined, configError('its memory is full')]);
  await gpu.ready;
  lose();
  clock.pass(10_000);
  await expect.poll(() => states.length).toBe(3);
  expect(states.at(-1)).toEqual({ device: 'cpu', reason: 'its memory is full', isFailure: false });
  expect(clock.waiting()).toEqual([]);
});

test.skipIf(!hasWebGpu)('a GPU that is lost while the server stops is not opened again', async () => {
  const { gpu, clock, states, lose } = setUp([undefined]);
  await gpu.ready;
  lose();
  await gpu.close();
  expect(clock.waiting()).toEqual([]);
  lose();
  expect(states.length).toBe(2);
});

test.skipIf(!hasWebGpu)('float16 is used if its results are close, and float32 otherwise', async () => {
  const close = setUp([undefined], 'float16');
  await close.gpu.ready;
  expect(close.states).toMatchObject([{ device: 'gpu', precision: 'float16' }]);
  const far = setUp([configError('its results differ'), undefined], 'float16');
  await far.gpu.ready;
  expect(far.precisions).toEqual(['float16', 'float32']);
  expect(far.states).toMatchObject([
    { device: 'gpu', precision: 'float32', note: 'float16 is not used: its results differ' },
  ]);
});

test('errors of drivers are explained', () => {
  const explain = (message: string, platform = 'linux'): string =>
    explainGpuError(new Error(`Cannot load the model: ${message}`), platform);
  const none = 'Failed to get a WebGPU adapter: No supported adapters.';
  expect(explain(none)).toContain('no Vulkan driver');
  expect(explain(none, 'win32')).toContain('no GPU with a driver for Direct3D 12');
  expect(explain(none, 'darwin')).toBe('no GPU that supports Metal was found');
  expect(explain('Program Cast requires f16 but the device does not support it.')).toBe(
    'the GPU does not support float16',
  );
  expect(
    explain('x CUDA failure 35: CUDA driver version is insufficient for CUDA runtime version ; GPU=-1 ; y'),
  ).toBe('CUDA failed with error 35: CUDA driver version is insufficient for CUDA runtime version');
  expect(explain('out of memory')).toBe('out of memory');
});
