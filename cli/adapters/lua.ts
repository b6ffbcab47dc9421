import { AppError } from '#contract/errors.ts';
import type { ModelType } from '#contract/model-types.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import { type Transformed, openTransform } from '#transform/transform.ts';
import type { TransformScript } from '#transform/transform-script.ts';
import { createInterrupter } from '#platform/interrupt.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { spawnThread } from './own-files.ts';

/** Model output for one text, the input of `Postprocess`. The mask of its first `skip` tokens is 0. */
export interface LuaTask {
  readonly modelType: ModelType;
  readonly output: Tensor;
  readonly skip?: number | undefined;
}

export interface LuaThreadData {
  readonly script: TransformScript;
  readonly wasm: string;
}

export type LuaMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'line'; readonly line: string }
  | { readonly kind: 'result'; readonly result: Transformed }
  | { readonly kind: 'error'; readonly error: string };

/** Runs a task. Rejects with an InternalError that contains the message and the line. */
export type RunLua = (task: LuaTask) => Promise<Transformed>;

/** Compiles a script. Rejects with an InternalError if it is not valid Lua. */
export async function compileLua(script: TransformScript): Promise<void> {
  await openTransform(script, {
    wasm: await luaWasmFile(),
    print: () => {},
    interrupter: createInterrupter(),
  });
}

/**
 * Runs `use` with a script that is loaded in its own thread. The script's time limit is not checked
 * while a Lua library function runs, so the thread is terminated after twice that limit.
 */
export async function withLua<Result>(
  script: TransformScript,
  print: (line: string) => void,
  use: (run: RunLua) => Promise<Result>,
): Promise<Result> {
  const data: LuaThreadData = { script, wasm: await luaWasmFile() };
  const thread = spawnThread('cli/adapters/lua-thread.ts', data);
  let answer = Promise.withResolvers<Transformed | undefined>();
  thread.on('message', (message: LuaMessage) => {
    if (message.kind === 'line') print(message.line);
    else if (message.kind === 'error') answer.reject(new AppError('InternalError', message.error));
    else answer.resolve(message.kind === 'result' ? message.result : undefined);
  });
  thread.on('error', (error) => answer.reject(AppError.from(error)));
  // By now everything that the script printed has been delivered.
  thread.on('exit', () => answer.reject(new AppError('InternalError', stuck(script))));
  try {
    await answer.promise;
    return await use(async (task) => {
      answer = Promise.withResolvers();
      const timer = setTimeout(() => void thread.terminate(), 2000 * script.limits.seconds);
      thread.postMessage(task);
      try {
        return (await answer.promise) as Transformed;
      } finally {
        clearTimeout(timer);
      }
    });
  } finally {
    await thread.terminate();
  }
}

const stuck = ({ limits: { seconds } }: TransformScript): string =>
  `The transform failed: a single Lua library call took more than ${2 * seconds} s (transform_limits.seconds is ${seconds})`;

const luaWasmFile = async (): Promise<string> => (await loadNativeLibraries()).lua;
