import { fileURLToPath } from 'node:url';
import { execaNode } from 'execa';

export interface ValueInfo {
  readonly name: string;
  /** ONNX Runtime's name of the element type: float32, int64 ... */
  readonly type: string;
  /** A number, or the name of a free axis. */
  readonly shape: readonly (number | string)[];
}

export interface ModelSignature {
  readonly inputs: readonly ValueInfo[];
  readonly outputs: readonly ValueInfo[];
}

export interface OptimizeTask {
  readonly kind: 'optimize';
  readonly model: string;
  /** Where the optimised graph goes, and the name of the file beside it that gets its weights. */
  readonly graph: string;
  readonly weights: string;
}

export interface TryTask {
  readonly kind: 'try';
  readonly graph: string;
  /** Where the graph's weights lie. */
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
  /** Optimises a model once and for all and writes it as a graph with its weights in a file of their own. */
  optimize(task: Omit<OptimizeTask, 'kind'>): Promise<ModelSignature>;
  /** Runs one batch of token ids through a graph, whose output is float32. */
  tryOut(task: Omit<TryTask, 'kind'>): Promise<TryResult>;
}

/**
 * ONNX Runtime for as long as `use` runs. It blocks its thread, keeps its memory and can abort on a broken model, so it gets a
 * process of its own.
 */
export async function withOnnxRuntime<Result>(
  use: (runtime: OnnxRuntime) => Promise<Result>,
): Promise<Result> {
  const child = execaNode(fileURLToPath(new URL('./onnxruntime-child.ts', import.meta.url)), {
    ipc: true,
    reject: false,
    nodeOptions: [],
    // Without it ONNX Runtime for Linux keeps a device id and a record of use in the home folder.
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
      // The process is gone; how it ended says more.
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
    error: `ONNX Runtime ended unexpectedly (${signal ?? `exit code ${exitCode}`}) ${stderr ?? ''}`.trim(),
  };
}
