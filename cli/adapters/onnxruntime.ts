import { fileURLToPath } from 'node:url';
import { execa } from 'execa';

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

/** Optimises a model once and for all and writes it as a graph with its weights in a file of their own. */
export function optimizeModel(task: {
  model: string;
  graph: string;
  weights: string;
}): Promise<ModelSignature> {
  return inChild({ kind: 'optimize', ...task });
}

/** Runs one batch of token ids through a graph whose weights lie in `folder`; returns the output's type and size. */
export function tryModel(task: {
  graph: string;
  folder: string;
  inputs: readonly string[];
  output: string;
  ids: readonly (readonly number[])[];
}): Promise<{ type: string; dims: number[] }> {
  return inChild({ kind: 'try', ...task });
}

export type OnnxTask =
  | ({ kind: 'optimize' } & Parameters<typeof optimizeModel>[0])
  | ({ kind: 'try' } & Parameters<typeof tryModel>[0]);

/** ONNX Runtime blocks its thread, keeps its memory and can abort on a broken model: it gets a process of its own. */
async function inChild<Result>(task: OnnxTask): Promise<Result> {
  const script = fileURLToPath(new URL('./onnxruntime-child.ts', import.meta.url));
  const child = await execa(process.execPath, [script], {
    input: JSON.stringify(task),
    reject: false,
    // Without it ONNX Runtime for Linux keeps a device id and a record of use in the home folder.
    env: { ORT_DISABLE_TELEMETRY: '1' },
  });
  const answer = parse(child.stdout);
  if (answer && 'result' in answer) return answer.result as Result;
  if (answer && 'error' in answer) throw new Error(String(answer.error));
  throw new Error(
    `ONNX Runtime ended unexpectedly (${child.signal ?? `exit code ${child.exitCode}`}) ${child.stderr}`.trim(),
  );
}

function parse(stdout: string): { result: unknown } | { error: unknown } | undefined {
  try {
    return JSON.parse(stdout) as { result: unknown } | { error: unknown };
  } catch {
    return undefined;
  }
}
