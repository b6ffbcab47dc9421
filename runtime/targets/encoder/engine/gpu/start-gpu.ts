import { lookup } from '#core/values/lookup.ts';
import { configError, messageOf } from '#contract/errors.ts';
import type { Device, GpuPrecision } from '#contract/devices.ts';
import { backgroundClock, type Clock } from '#platform/clock.ts';
import { hasGpuDevice } from '#platform/gpu-devices.ts';
import { type InferenceThread, startInferenceThread } from '../inference-thread.ts';
import { type MemberHooks, type PooledModel, startMember } from '../pool-member.ts';
import type { DeviceState } from '../serving.ts';
import { createGpuLane, type GpuLane } from './gpu-lane.ts';
import { gpuModel, gpuProblem, nameOf } from './gpu-model.ts';
import { type GpuPlan, planGpu } from './gpu-plan.ts';
import { compareWithCpu, measureGpu, type ProbeInputs, type Reference, runReference } from './probe-gpu.ts';

export interface GpuOptions {
  readonly device: Exclude<Device, 'cpu'>;
  readonly precision: GpuPrecision;
  readonly model: PooledModel;
  /** A thread that has the model open on the CPU. */
  readonly cpu: Pick<InferenceThread, 'run'>;
  /** Number of threads on the CPU that run batches concurrently. */
  readonly cpuThreads: number;
  readonly probes: () => Promise<readonly ProbeInputs[]>;
}

/** What is needed to decide whether the GPU runs the model, and for which batches. */
interface OpenedGpu {
  readonly plan: GpuPlan;
  readonly verify: () => Promise<void>;
}

/** The message for `--device gpu` if the GPU cannot be used. */
export const gpuError = (reason: string): Error =>
  configError(`--device gpu: ${reason}. Use --device auto or cpu to run the model on the CPU.`);

/** Why the GPU is not used, before it is opened; undefined if it can be tried. */
export function reasonAgainstGpu({
  device,
  model,
}: Pick<GpuOptions, 'device' | 'model'>): string | undefined {
  const problem = gpuProblem(model.manifest);
  if (problem !== undefined) return problem;
  return device === 'auto' && !hasGpuDevice() ? `no GPU was found (${NO_DEVICE})` : undefined;
}

const NO_DEVICE =
  '/dev/dri/renderD*, /dev/nvidia* and /dev/dxg do not exist; in a container, pass the GPU to it';

/**
 * Compares the results of the GPU with those of the CPU, and plans which batches it runs. Rejects with the
 * reason if it cannot be used. `gpu` must have the model open.
 */
export async function checkGpu(
  gpu: Pick<InferenceThread, 'run'>,
  { device, precision, model: { manifest }, cpu, cpuThreads, probes }: GpuOptions,
): Promise<OpenedGpu> {
  const groups = await probes();
  const reference: Reference = await runReference(cpu, groups, manifest, cpuThreads);
  const verify = async (): Promise<void> => await compareWithCpu(gpu, reference, manifest, precision);
  await verify();
  const plan = planGpu(reference.run, await measureGpu(gpu, groups, manifest), device === 'gpu');
  if (!plan) throw configError('it is slower than the CPU for this model');
  return { plan, verify };
}

/** How an opened GPU computes, and why it does not use float16 if the user requested it. */
interface OpenedWith<Opened> {
  readonly opened: Opened;
  readonly precision: GpuPrecision;
  readonly note?: string;
}

/** Opens the GPU with float16 if the user requests it, and with float32 if this fails or its results differ too much. */
export async function withPrecision<Opened>(
  options: GpuOptions,
  open: (options: GpuOptions) => Promise<Opened>,
): Promise<OpenedWith<Opened>> {
  const { precision } = options;
  try {
    return { opened: await open(options), precision };
  } catch (error) {
    if (precision === 'float32') throw error;
    const opened = await open({ ...options, precision: 'float32' });
    return { opened, precision: 'float32', note: `float16 is not used: ${explainGpuError(error)}` };
  }
}

/** Explains errors of ONNX Runtime that users can solve. */
export function explainGpuError(error: unknown, platform: string = process.platform): string {
  const message = messageOf(error);
  if (/Failed to get a WebGPU adapter|No supported adapters/i.test(message))
    return NO_ADAPTER[platform] ?? NO_DRIVER;
  const [, code, cuda] = /CUDA failure (\d{1,9}): ([^;]{1,200});/.exec(message) ?? [];
  if (cuda !== undefined) return `CUDA failed with error ${code}: ${cuda.trim()}`;
  if (/requires f16/.test(message)) return 'the GPU does not support float16';
  return message.replace(/^Cannot load the model: |^Error running model: /, '');
}

const NO_ADAPTER = lookup<string>({
  win32: 'no GPU with a driver for Direct3D 12 was found; install the GPU’s driver',
  darwin: 'no GPU that supports Metal was found',
});

const NO_DRIVER =
  'no Vulkan driver for a GPU was found; install the Vulkan loader (Debian: libvulkan1) and the GPU’s driver, and in an NVIDIA container set NVIDIA_DRIVER_CAPABILITIES=all';

export interface GpuHooks extends MemberHooks {
  readonly onRoom: () => void;
  readonly attach: (lane: GpuLane) => void;
  /** Called when the lane can no longer run batches. Its batches have been passed to `onFailed`. */
  readonly detach: () => void;
  readonly onState: (state: DeviceState) => void;
}

export interface Gpu {
  /** Resolves when the device has been chosen. Rejects if the user requires the GPU and it cannot be used. */
  readonly ready: Promise<void>;
  readonly close: () => Promise<void>;
}

/** How often the GPU is opened again after it was lost, and after which time. */
const REOPENINGS = 3;
const REOPEN_MS = 10_000;

/** Opens the GPU once. `onLost` is called if it can no longer be used. */
export type OpenLane = (
  options: GpuOptions,
  hooks: GpuHooks,
  onLost: (error: unknown) => void,
) => Promise<GpuLane>;

/** Opens the GPU in the background, and again if it is lost. Tests replace the clock and what opens the GPU. */
export function startGpu(
  options: GpuOptions,
  hooks: GpuHooks,
  clock: Clock = backgroundClock,
  openOnce: OpenLane = openLane,
): Gpu {
  let lane: GpuLane | undefined;
  let closing = false;
  let reopenings = 0;
  let opening: Promise<void>;
  let cancelReopening = (): void => {};

  const lose = (error: unknown): void => {
    const lost = lane;
    lane = undefined;
    hooks.detach();
    void lost?.close();
    if (closing) return;
    hooks.onState({ device: 'cpu', reason: `the GPU was lost: ${explainGpuError(error)}`, isFailure: true });
    if (reopenings >= REOPENINGS) return;
    reopenings += 1;
    cancelReopening = clock.after(REOPEN_MS, () => {
      opening = reopen();
    });
  };
  const open = async (): Promise<void> => {
    const reason = reasonAgainstGpu(options);
    if (reason !== undefined) throw configError(reason);
    const { opened, ...precision } = await withPrecision(options, (chosen) => openOnce(chosen, hooks, lose));
    if (closing) return await opened.close();
    lane = opened;
    const { minTokens, maxTokens, isSlower } = opened.plan;
    hooks.onState({
      device: 'gpu',
      name: nameOf(options.model),
      ...precision,
      minTokens,
      maxTokens,
      isSlower,
    });
    hooks.attach(opened);
    hooks.onRoom();
  };
  const report = (error: unknown): void => {
    if (!closing) hooks.onState({ device: 'cpu', reason: explainGpuError(error), isFailure: false });
  };
  const reopen = async (): Promise<void> => {
    try {
      await open();
    } catch (error) {
      report(error);
    }
  };
  const fail = (error: unknown): never => {
    throw gpuError(explainGpuError(error));
  };
  const ready = open().catch(options.device === 'gpu' ? fail : report);
  opening = ready.catch(() => {});
  // Callers that do not wait for the GPU get its state from the hooks.
  ready.catch(() => {});
  return {
    ready,
    async close() {
      closing = true;
      cancelReopening();
      await opening;
      await lane?.close();
    },
  };
}

/** Opens the thread that owns the GPU. A process has one, because concurrent sessions in several threads fail. */
async function openLane(
  options: GpuOptions,
  hooks: GpuHooks,
  onLost: (error: unknown) => void,
): Promise<GpuLane> {
  const thread = startInferenceThread();
  let failed = false;
  const member = await startMember(
    { ...gpuModel(options.model, options.precision), priority: 'reduced' },
    1,
    false,
    {
      onDone: hooks.onDone,
      onFailed(items, error, reason) {
        failed = true;
        hooks.onFailed(items, error, reason);
      },
    },
    thread,
  );
  try {
    const { plan, verify } = await checkGpu(thread, options);
    const hasFailed = (): boolean => {
      const found = failed;
      failed = false;
      return found;
    };
    return createGpuLane({ member, plan, verify, hasFailed, onRoom: hooks.onRoom, onLost });
  } catch (error) {
    await member.close();
    throw error;
  }
}
