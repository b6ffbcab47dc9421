import { execa } from 'execa';
import { AppError } from '#contract/errors.ts';
import { spanText } from '#core/time/time-span.ts';
import { ownCommand } from '#platform/own-command.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import {
  type MeasureResult,
  type MeasureTask,
  ONNXRUNTIME_PROCESS,
  type OnnxAnswer,
  type OnnxTask,
  type OptimizeTask,
  type TryResult,
  type TryTask,
} from './onnxruntime-task.ts';

export interface OnnxTools {
  /** Optimizes a model and writes it as a graph with its weights in a separate file. */
  optimize(task: Omit<OptimizeTask, 'kind'>): Promise<void>;
  /**
   * Runs one batch of token ids through a graph with a float32 output. If the run does not finish
   * in time, the process is ended and the call rejects with a TimeoutError.
   */
  tryOut(task: Omit<TryTask, 'kind'>): Promise<TryResult>;
  /**
   * Measures the sizes of a graph's output values. If a run does not finish in time, rejects as
   * `tryOut` does.
   */
  measure(task: Omit<MeasureTask, 'kind'>): Promise<readonly MeasureResult[]>;
}

/**
 * Maximum time of a run in milliseconds. A few texts take seconds, and the longest text that a
 * large model can read takes a minute. A graph that takes longer contains an endless loop or is too
 * slow for a server.
 */
const MAX_RUN_MS = 600_000;

/**
 * Runs ONNX Runtime in a separate process, because it blocks its thread, does not release memory
 * and can abort on a broken model.
 */
export interface StartedOnnxRuntime extends OnnxTools {
  /** Ends the process; its unfinished tasks fail. */
  readonly end: () => Promise<void>;
}

/** Runs `use` with ONNX Runtime, then ends its process. */
export async function withOnnxRuntime<Result>(
  use: (runtime: OnnxTools) => Promise<Result>,
  runtime = startOnnxRuntime(),
): Promise<Result> {
  try {
    return await use(runtime);
  } finally {
    await runtime.end();
  }
}

/** Starts the process early, so that it loads the library while the caller does other work. */
export function startOnnxRuntime(maxRunMs = MAX_RUN_MS): StartedOnnxRuntime {
  const [file, ...args] = ownCommand(new URL('../bin.ts', import.meta.url));
  const child = execa(file, [...args, ONNXRUNTIME_PROCESS], { ipc: true, reject: false });
  const ask = async (task: OnnxTask): Promise<unknown> => {
    const answer = await Promise.race([exchange(task), child.then(explainEnd)]);
    if ('error' in answer) throw new Error(answer.error);
    return answer.result;
  };
  const exchange = async (task: OnnxTask): Promise<OnnxAnswer> => {
    try {
      await child.sendMessage(task);
      return (await child.getOneMessage()) as OnnxAnswer;
    } catch {
      // The process has exited; its exit status is more informative than this error.
      return explainEnd(await child);
    }
  };
  const run = async (task: OnnxTask): Promise<unknown> => {
    const result = ask(task);
    if (await settlesWithin(maxRunMs, result)) return await result;
    child.kill('SIGKILL');
    // This error only reports that the process was ended.
    await result.catch(() => {});
    throw new AppError('TimeoutError', `no result within ${spanText(maxRunMs)}`);
  };
  return {
    optimize: async (task) => void (await ask({ kind: 'optimize', ...task })),
    tryOut: async (task) => (await run({ kind: 'try', ...task })) as TryResult,
    measure: async (task) => (await run({ kind: 'measure', ...task })) as readonly MeasureResult[],
    async end() {
      child.kill();
      await child;
    },
  };
}

function explainEnd({
  signal,
  exitCode,
  stderr,
}: {
  signal?: string;
  exitCode?: number;
  stderr?: string;
}): OnnxAnswer {
  return {
    error: `ONNX Runtime exited unexpectedly (${signal ?? `exit code ${exitCode}`}) ${stderr ?? ''}`.trim(),
  };
}
