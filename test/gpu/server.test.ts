import type { Worker } from 'node:worker_threads';
import { afterEach, expect, test } from 'vitest';
import type { DeviceState, EngineRequest, ServingEngine } from '#encoder/engine/serving.ts';
import { openServingEngine, type ServingOptions } from '#encoder/engine/serving-engine.ts';
import { useServers } from '../contract/started-servers.ts';
import { builtAssets, builtExecutable } from '../helpers/built.ts';
import { DEFAULT_LIMITS } from '../helpers/default-limits.ts';

const { serve } = useServers();
const VIEW: EngineRequest['view'] = { kind: 'result', format: 'json', options: {} };
const TEXTS = Array.from({ length: 24 }, (_, at) => `number ${at} `.repeat(1 + (at % 12)));

const open: ServingEngine[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((engine) => engine.close()));
});

async function start(model: string, options: Partial<ServingOptions>): Promise<ServingEngine> {
  const engine = await openServingEngine(builtAssets(model), { limits: DEFAULT_LIMITS, ...options });
  open.push(engine);
  return engine;
}

interface Prediction {
  readonly logits: readonly number[];
}

async function predict(url: string, inputs: readonly string[]): Promise<readonly Prediction[]> {
  const response = await fetch(`${url}/predict`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ inputs }),
  });
  expect(response.status).toBe(200);
  return ((await response.json()) as { results: readonly Prediction[] }).results;
}

function expectSame(found: readonly Prediction[], expected: readonly Prediction[]): void {
  expect(found.length).toBe(expected.length);
  for (const [at, { logits }] of expected.entries()) {
    for (const [label, value] of logits.entries())
      expect(Math.abs((found[at]?.logits[label] ?? NaN) - value)).toBeLessThan(1e-5);
  }
}

test('two servers return the results of the CPU, name the device, and complete their requests on SIGTERM', async () => {
  const path = builtExecutable('sentiment');
  const onCpu = await serve({ path });
  const [one, two] = await Promise.all([
    serve({ path, args: ['--device', 'gpu'] }),
    serve({ path, args: ['--device', 'gpu'] }),
  ]);
  expect(one.stderr()).toMatch(/^Device: \S/m);
  expect(onCpu.stderr()).not.toContain('Device');
  const model = (await (await fetch(`${one.url}/model`)).json()) as { device: unknown };
  expect(model.device).toMatchObject({
    type: 'gpu',
    name: expect.any(String),
    max_tokens: expect.any(Number),
  });
  expect(await (await fetch(`${onCpu.url}/model`)).json()).not.toHaveProperty('device');

  const expected = await predict(onCpu.url, TEXTS);
  for (const { url } of [one, two]) {
    expectSame(await predict(url, TEXTS), expected);
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toMatch(/^encoder_gpu_active 1$/m);
    expect(metrics).toMatch(/^encoder_gpu_batches_total [1-9]/m);
    expect(metrics).toMatch(/^encoder_gpu_losses_total 0$/m);
  }
  expect(await (await fetch(`${onCpu.url}/metrics`)).text()).not.toContain('gpu');

  const running = Array.from({ length: 8 }, () => predict(one.url, TEXTS));
  await expect
    .poll(async () => await (await fetch(`${one.url}/metrics`)).text())
    .toMatch(/^encoder_queued_inputs [1-9]/m);
  one.child.kill('SIGTERM');
  for (const results of await Promise.all(running)) expectSame(results, expected);
  expect(await one.ended).toBe(0);
  two.child.kill('SIGTERM');
  expect(await two.ended).toBe(0);
});

test('a model that only some GPUs support runs on every machine with auto', async () => {
  const states: DeviceState[] = [];
  const observer = {
    onBatch: () => {},
    onRequest: () => {},
    onWorkerDeath: () => {},
    onDevice: (state: DeviceState) => void states.push(state),
  };
  process.env['ENCODERFILE_SOFTWARE_GPU'] = '1';
  try {
    const engine = await start('float16', { device: 'auto', awaitsDevice: true, observer });
    expect((await engine.run({ inputs: [{ text: 'a' }], view: VIEW })).results).toHaveLength(1);
  } finally {
    delete process.env['ENCODERFILE_SOFTWARE_GPU'];
  }
  const [state] = states;
  expect(states).toHaveLength(1);
  // The device must be at least as fast as the CPU; otherwise, the reason is reported.
  const isUsable =
    state?.device === 'gpu' ? !state.isSlower : state?.reason !== undefined && state.isFailure === false;
  expect(isUsable, JSON.stringify(state)).toBe(true);
});

test('if the GPU is lost, the CPU completes all requests', async () => {
  const threads: Worker[] = [];
  const seen = (worker: Worker): void => void threads.push(worker);
  const states: DeviceState[] = [];
  const batches: string[] = [];
  process.on('worker', seen);
  const engine = await start('nli', {
    device: 'gpu',
    observer: {
      onBatch: ({ device }) => void batches.push(device),
      onRequest: () => {},
      onWorkerDeath: () => {},
      onDevice: (state) => void states.push(state),
    },
  });
  process.off('worker', seen);
  const owner = threads.at(-1);
  if (!owner) throw new Error('no thread');
  const inputs = TEXTS.map((text) => ({ text }));
  await engine.run({ inputs, view: VIEW });
  expect(batches).toContain('gpu');
  const requests = Array.from({ length: 6 }, () => engine.run({ inputs, view: VIEW }));
  // `once` would reject with the error of the thread.
  const exited = new Promise((resolve) => owner.once('exit', resolve));
  // A request of an unknown kind ends a thread between two batches, as a failure in its code does.
  owner.postMessage({ id: -1, request: { kind: 'unknown' } });
  for (const { results } of await Promise.all(requests)) expect(results).toHaveLength(inputs.length);
  await exited;
  await expect.poll(() => states.at(-1)).toMatchObject({ device: 'cpu', isFailure: true });
  expect(engine.device?.()).toMatchObject({ device: 'cpu' });
  batches.length = 0;
  await engine.run({ inputs, view: VIEW });
  expect(new Set(batches)).toEqual(new Set(['cpu']));
});
