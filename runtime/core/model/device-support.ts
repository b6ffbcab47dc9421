import type { Manifest } from '#contract/manifest.ts';
import { PLATFORMS } from '#contract/platforms.ts';

/** Why a model cannot run on a GPU of any platform; undefined if it can. */
export function gpuModelProblem({
  quantization,
  name,
  sentence,
}: Pick<Manifest, 'quantization' | 'name' | 'sentence'>): string | undefined {
  if (sentence?.table) return `${name} is a static model, which runs faster on the CPU`;
  if (quantization?.form === 'int8')
    return `${name} is an int8 model, which runs on the CPU; build it without \`quantize\` for GPUs`;
  return undefined;
}

/** What can run the model of an executable. */
export type ModelDevice = 'cpu' | 'webgpu' | 'cuda';

/** The devices that an executable for a platform can use, if the machine has them. */
export function devicesOf(model: Manifest, triple: string): ModelDevice[] {
  const platform = PLATFORMS.find((one) => one.triple === triple);
  if (!platform || gpuModelProblem(model) !== undefined) return ['cpu'];
  return [
    'cpu',
    ...(platform.hasWebGpu ? ['webgpu' as const] : []),
    ...(platform.hasCuda ? ['cuda' as const] : []),
  ];
}

/** Describes the devices in one line, for people. */
export function devicesText(model: Manifest, triple: string): string {
  const devices = devicesOf(model, triple);
  const problem = gpuModelProblem(model);
  const gpus = devices.flatMap((device) => (device === 'cpu' ? [] : GPU_TEXTS[device]));
  const { device: chosen } = model;
  return [
    gpus.length > 0
      ? `CPU; GPU with ${gpus.join(' or ')}`
      : `CPU${problem === undefined ? '' : ` (${problem})`}`,
    ...(chosen === undefined ? [] : [`default: --device ${chosen}`]),
  ].join('; ');
}

const GPU_TEXTS = { webgpu: 'WebGPU', cuda: 'CUDA (--gpu-libraries)' };
