import { type InferenceThread, startInferenceThread } from '../inference-thread.ts';
import type { DeviceState } from '../serving.ts';
import {
  checkGpu,
  explainGpuError,
  gpuError,
  type GpuOptions,
  reasonAgainstGpu,
  withPrecision,
} from './start-gpu.ts';
import { gpuModel, nameOf } from './gpu-model.ts';
import type { GpuPlan } from './gpu-plan.ts';
import { createProgress } from '../progress.ts';
import { configError } from '#contract/errors.ts';

/** Runs batches of at most `maxTokens` padded tokens. */
export interface BatchRunner extends Pick<InferenceThread, 'run'> {
  readonly maxTokens: number;
}

export interface GpuFirst extends BatchRunner {
  readonly close: () => Promise<void>;
}

/**
 * Opens the GPU for a run without a server. Batches that fail on the GPU run on the CPU, and so do all
 * others afterwards. Undefined if only the CPU is used; rejects if the user requires the GPU and it cannot
 * be used.
 */
export async function openGpuFirst(
  options: GpuOptions,
  onDevice: (state: DeviceState) => void,
): Promise<GpuFirst | undefined> {
  try {
    const reason = reasonAgainstGpu(options);
    if (reason !== undefined) throw configError(reason);
    const { opened, ...precision } = await withPrecision(options, openChecked);
    const { thread, plan } = opened;
    const { minTokens, maxTokens, isSlower } = plan;
    const name = nameOf(options.model);
    onDevice({ device: 'gpu', name, ...precision, minTokens, maxTokens, isSlower });
    return { ...gpuFirst(thread, options.cpu, minTokens, onDevice), maxTokens, close: thread.close };
  } catch (error) {
    if (options.device === 'gpu') throw gpuError(explainGpuError(error));
    onDevice({ device: 'cpu', reason: explainGpuError(error) });
    return undefined;
  }
}

/** A thread that has the model open on the GPU, and which batches it runs. */
interface OpenedThread {
  readonly thread: InferenceThread;
  readonly plan: GpuPlan;
}

async function openChecked(options: GpuOptions): Promise<OpenedThread> {
  const thread = startInferenceThread();
  try {
    const { transform, ...model } = gpuModel(options.model, options.precision);
    await thread.open({
      ...model,
      threads: 1,
      priority: 'normal',
      transform: transform && { ...transform, progress: createProgress() },
    });
    const { plan } = await checkGpu(thread, options);
    return { thread, plan };
  } catch (error) {
    await thread.close();
    throw error;
  }
}

type Runner = Pick<InferenceThread, 'run'>;

function gpuFirst(
  gpu: Runner,
  cpu: Runner,
  minTokens: number,
  onDevice: (state: DeviceState) => void,
): Runner {
  let isLost = false;
  return {
    async run(batch, outputs) {
      if (isLost || batch.ids.length < minTokens) return await cpu.run(batch, outputs);
      try {
        return await gpu.run(batch, outputs);
      } catch (error) {
        if (!isLost) onDevice({ device: 'cpu', reason: explainGpuError(error), isFailure: true });
        isLost = true;
        return await cpu.run(batch, outputs);
      }
    },
  };
}
