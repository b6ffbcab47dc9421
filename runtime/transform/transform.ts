import { AppError, messageOf } from '../contract/errors.ts';
import type { Tensor } from '../core/tensor/tensor.ts';
import { LuaScript } from './lua-script.ts';
import type { TransformScript } from './transform-script.ts';

/** The function that every transform defines. */
const POSTPROCESS = 'Postprocess';

export interface Transform {
  /** Throws an InternalError that says what went wrong and in which line. */
  readonly apply: (given: readonly Tensor[]) => Tensor;
  /** To be called before `apply`: some scripts break Lua itself, and then it is made anew. */
  readonly ready: () => Promise<void> | undefined;
}

export interface TransformOptions {
  /** Path of Lua's WebAssembly. */
  readonly wasm: string;
  /** What becomes of lines that the script prints. */
  readonly print: (line: string) => void;
}

/** Compiles a script. Rejects with an InternalError if it is no Lua. */
export async function openTransform(script: TransformScript, options: TransformOptions): Promise<Transform> {
  const open = async (): Promise<LuaScript> => {
    // Models without a transform do not wait for this.
    const { LuaWasm } = await import('wasmoon');
    const lua = await LuaWasm.initialize(options.wasm);
    return explained(() => new LuaScript(lua, script, options.print));
  };
  let current = await open();
  const reopen = async (): Promise<void> => {
    current = await open();
  };
  return {
    apply: (given) => explained(() => current.call(POSTPROCESS, given)),
    ready: () => (current.broken ? reopen() : undefined),
  };
}

function explained<Result>(run: () => Result): Result {
  try {
    return run();
  } catch (error) {
    throw new AppError('InternalError', `The transform failed: ${messageOf(error)}`, { cause: error });
  }
}
