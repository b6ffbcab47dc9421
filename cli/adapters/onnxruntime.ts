import { execa } from 'execa';
import { ownCommand } from '../../runtime/platform/own-command.ts';
import {
  ONNXRUNTIME_PROCESS,
  type OnnxAnswer,
  type OnnxTask,
  type OptimizeTask,
  type TryResult,
  type TryTask,
} from './onnxruntime-task.ts';

export interface OnnxRuntime {
  /** Optimizes a model and writes it as a graph with its weights in a separate file. */
  optimize(task: Omit<OptimizeTask, 'kind'>): Promise<void>;
  /** Runs one batch of token ids through a graph with a float32 output. */
  tryOut(task: Omit<TryTask, 'kind'>): Promise<TryResult>;
}

/**
 * Runs `use` with ONNX Runtime in a separate process, because it blocks its thread, keeps its memory and can abort on a broken
 * model.
 */
export async function withOnnxRuntime<Result>(
  use: (runtime: OnnxRuntime) => Promise<Result>,
): Promise<Result> {
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
      // The process has exited; its exit status is more informative.
      return explainEnd(await child);
    }
  };
  try {
    return await use({
      optimize: async (task) => void (await ask({ kind: 'optimize', ...task })),
      tryOut: async (task) => (await ask({ kind: 'try', ...task })) as TryResult,
    });
  } finally {
    child.kill();
    await child;
  }
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
