import { expect, test } from 'vitest';
import type { Manifest } from '#contract/manifest.ts';
import { PLATFORMS } from '#contract/platforms.ts';
import { devicesOf, devicesText } from '#core/model/device-support.ts';
import { gpuProblem } from '#encoder/engine/gpu/gpu-model.ts';

const MODEL = { name: 'model' } as Manifest;
const INT8 = { ...MODEL, quantization: { form: 'int8' } } as Manifest;
const STATIC = { ...MODEL, sentence: { table: { rows: 10 } } } as unknown as Manifest;
const LINUX = { platform: 'linux', arch: 'x64' };

test('int8 and static models stay on the CPU', () => {
  expect(gpuProblem(MODEL, LINUX)).toBeUndefined();
  expect(gpuProblem(INT8, LINUX)).toBe(
    'model is an int8 model, which runs on the CPU; build it without `quantize` for GPUs',
  );
  expect(gpuProblem(STATIC, LINUX)).toBe('model is a static model, which runs faster on the CPU');
});

test('platforms without WebGPU are named', () => {
  expect(gpuProblem(MODEL, { platform: 'darwin', arch: 'arm64' })).toBeUndefined();
  expect(gpuProblem(MODEL, { platform: 'win32', arch: 'x64' })).toBeUndefined();
  expect(gpuProblem(MODEL, { platform: 'linux', arch: 'arm64' })).toBe(
    'executables do not support GPUs on linux arm64',
  );
});

test('an executable lists the devices that its platform and its model support', () => {
  const devices = PLATFORMS.map(({ triple }) => devicesOf(MODEL, triple));
  expect(devices).toEqual([['cpu', 'webgpu', 'cuda'], ['cpu'], ['cpu', 'webgpu'], ['cpu', 'webgpu']]);
  const [linux = '', arm = ''] = PLATFORMS.map(({ triple }) => triple);
  expect(devicesText(MODEL, linux)).toBe('CPU; GPU with WebGPU or CUDA (--gpu-libraries)');
  expect(devicesText({ ...MODEL, device: 'auto' }, linux)).toMatch(/; default: --device auto$/);
  expect(devicesText(MODEL, arm)).toBe('CPU');
  expect(devicesOf(INT8, linux)).toEqual(['cpu']);
  expect(devicesText(INT8, linux)).toMatch(/^CPU \(model is an int8 model/);
});
