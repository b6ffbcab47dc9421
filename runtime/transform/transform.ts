import { AppError, messageOf } from '#contract/errors.ts';
import type { Interrupter } from '#core/limits/interrupter.ts';
import type { Tensor } from '#core/tensor/tensor.ts';
import { LuaScript } from './lua-script.ts';
import type { TransformScript } from './transform-script.ts';
import { type ModelType, vectorKind } from '#contract/model-types.ts';
import { checkResult, type ResultKind } from './check-result.ts';

/** Name of the function that every transform must define. */
const POSTPROCESS = 'Postprocess';

export interface Transform {
  /** Runs the transform. On failure, throws an InternalError with the reason and the line. */
  readonly apply: (given: readonly Tensor[]) => Tensor;
  /**
   * Must be awaited before `apply` is called, because it recreates the Lua state if an earlier call
   * made it unusable.
   */
  readonly ready: () => Promise<void> | undefined;
}

export interface TransformOptions {
  /** Path of Lua as WebAssembly. */
  readonly wasm: string;
  /** Receives lines that the script prints. */
  readonly print: (line: string) => void;
  /** Stops library functions that take too long. */
  readonly interrupter: Interrupter;
}

/** Compiles a script. Rejects with an InternalError if it is not valid Lua. */
export async function openTransform(script: TransformScript, options: TransformOptions): Promise<Transform> {
  const open = async (): Promise<LuaScript> => {
    // Models without a transform do not load Lua.
    const { LuaWasm } = await import('wasmoon');
    const lua = await LuaWasm.initialize(options.wasm);
    return explained(() => new LuaScript(lua, { limitsKey: 'transform_limits', ...script }, options));
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

/** The result of a transform for one text. */
export interface Transformed extends Tensor {
  readonly kind: ResultKind;
}

/** Runs a transform on the model output for one text, and validates the result. */
export function transformRow(
  transform: Transform,
  modelType: ModelType,
  output: Tensor,
  skip?: number,
): Transformed {
  const result = transform.apply(transformInputs(modelType, output, skip));
  return { ...result, kind: checkResult(modelType, output.shape, result) };
}

/**
 * Returns the arguments of `Postprocess`: the output for one text and, if its tokens will be
 * pooled, their mask. The first `skip` tokens are masked out.
 */
export function transformInputs(modelType: ModelType, output: Tensor, skip = 0): Tensor[] {
  const [texts = 1, tokens = 0, width] = output.shape;
  if (vectorKind(modelType) !== 'text' || width === undefined) return [output];
  const mask = new Float32Array(texts * tokens).fill(1);
  // The output is not padded, because texts are passed to a transform one at a time.
  mask.fill(0, 0, skip);
  return [output, { data: mask, shape: [texts, tokens] }];
}
