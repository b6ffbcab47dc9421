import { availableParallelism, cpus } from 'node:os';
import { progressLine } from '#core/model/progress.ts';
import { availableMemory } from '#platform/available-memory.ts';
import type { Output } from '#serve/cli/command.ts';
import { maxSessions } from '../engine/thread-plan.ts';
import { batchTokensPerThread, openServingEngine, type ServingOptions } from '../engine/serving-engine.ts';
import type { ServingEngine } from '../engine/serving.ts';
import type { InputFlags } from '../infer/input-source.ts';
import { openModel } from '../model.ts';
import type { Flags } from './flags-result.ts';
import { measureCells } from './cells.ts';
import { compareFlags, type Host } from './compare-flags.ts';
import { planInputs } from './inputs.ts';
import type { BenchResult } from './report.ts';

/** Share of the time for measuring sizes of inputs and concurrency levels. The rest is for comparing flags. */
const TABLE_SHARE = 0.6;

/**
 * Measures the model on this host. The time for opening the model with each combination of flags is
 * not included.
 */
export async function runBench(
  modelPath: string,
  settings: ServingOptions,
  { milliseconds, input }: { readonly milliseconds: number; readonly input?: InputFlags | undefined },
  output: Output,
): Promise<BenchResult> {
  const model = openModel(modelPath);
  const { weightsBytes, manifest } = model;
  const memoryBytes = availableMemory();
  const cores = availableParallelism();
  const { limits, workers, threads } = settings;
  const given: Flags = { workers, threads, maxBatchTokens: limits.maxBatchTokens };
  const open = async (flags: Flags): Promise<ServingEngine> =>
    await openServingEngine(modelPath, {
      ...settings,
      awaitsDevice: true,
      workers: flags.workers,
      threads: flags.threads,
      limits: { ...limits, maxBatchTokens: flags.maxBatchTokens },
    });
  const progress = startProgress(output);
  const host: Host = {
    cores,
    maxWorkers: maxSessions({ cores, memoryBytes, weightsBytes }),
    batchTokensPerThread: batchTokensPerThread(model),
  };
  const engine = await open(given);
  try {
    const plan = await planInputs(engine, input);
    const cells = await measureCells(engine, plan, milliseconds * TABLE_SHARE, progress.part(0, TABLE_SHARE));
    const comparison = await compareFlags(
      { given: engine, open },
      plan,
      given,
      host,
      milliseconds * (1 - TABLE_SHARE),
      progress.part(TABLE_SHARE, 1),
    );
    const processor = cpus()[0]?.model.trim() ?? 'unknown processor';
    return {
      model: manifest,
      host: { processor, cores, memoryBytes, device: engine.device?.() },
      cells,
      comparison,
    };
  } finally {
    progress.end();
    await engine.close();
  }
}

/** Shows a progress bar if stderr is a terminal. */
function startProgress({ err }: Output) {
  const started = performance.now();
  const show = (share: number): void => {
    if (process.stderr.isTTY)
      err(`\r\u001B[2K${progressLine('Measuring', share, 1, (performance.now() - started) / 1000)}`);
  };
  return {
    /** Converts the progress of one phase to the progress of the whole benchmark. */
    part:
      (from: number, to: number) =>
      (done: number, total: number): void =>
        show(from + ((to - from) * done) / total),
    end(): void {
      if (process.stderr.isTTY) err('\r\u001B[2K');
    },
  };
}
