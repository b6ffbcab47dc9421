import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

export interface ValueInfo {
  readonly name: string;
  /** Element type in ONNX Runtime's notation: float32, int64 ... */
  readonly type: string;
  /** A size, or the name of a dynamic axis. */
  readonly shape: readonly (number | string)[];
}

export interface ModelSignature {
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

export interface OptimizeTask {
  readonly kind: 'optimize';
  readonly model: string;
  /** Path of the optimized graph, and the name of the file next to it for its weights. */
  readonly graph: string;
  readonly weights: string;
}

export interface TryTask {
  readonly kind: 'try';
  readonly graph: string;
  /** Folder that contains the weights of the graph. */
  readonly folder: string;
  readonly inputs: readonly string[];
  readonly output: string;
  readonly ids: readonly (readonly number[])[];
}

export interface TryResult {
  readonly type: string;
  readonly dims: readonly number[];
  readonly data: Float32Array;
}

export type OnnxTask = OptimizeTask | TryTask;
export type OnnxAnswer = { readonly result: unknown } | { readonly error: string };

export interface OnnxRuntime {
  /** Optimizes a model and writes it as a graph with its weights in a separate file. */
  optimize(task: Omit<OptimizeTask, 'kind'>): Promise<ModelSignature>;
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
  const child = execaNode(fileURLToPath(new URL('./onnxruntime-child.ts', import.meta.url)), {
    ipc: true,
    reject: false,
    nodeOptions: [],
    // Without this variable, ONNX Runtime for Linux stores a device id and a usage record in the home folder.
    env: { ORT_DISABLE_TELEMETRY: '1' },
  });
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
      optimize: async (task) => (await ask({ kind: 'optimize', ...task })) as ModelSignature,
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
