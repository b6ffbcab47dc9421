import { createRequire } from 'node:module';
import type { Tensor } from '#core/tensor/tensor.ts';
import { DEFAULT_TRANSFORM_LIMITS, type TransformLimits } from '#contract/transform.ts';
import { createInterrupter } from '#platform/interrupt.ts';
import { openTransform, type Transform } from '#transform/transform.ts';
import type { TransformScript } from '#transform/transform-script.ts';

export const LUA_WASM = createRequire(import.meta.url).resolve('wasmoon/dist/glue.wasm');

/** A tensor of 1, 2, 3 ... */
export function counted(...shape: number[]): Tensor {
  const elements = shape.reduce((product, size) => product * size, 1);
  return { data: Float32Array.from({ length: elements }, (_, at) => at + 1), shape };
}

interface Options {
  readonly limits?: Partial<TransformLimits>;
  readonly libraries?: TransformScript['libraries'];
  readonly print?: (line: string) => void;
}

/** Opens a script whose function `Postprocess(t)` has this body. */
export function openBody(body: string, options: Options = {}): Promise<Transform> {
  return openSource(`function Postprocess(t)\n${body}\nend`, options);
}

export function openSource(
  source: string,
  { limits, libraries = [], print }: Options = {},
): Promise<Transform> {
  const script = {
    source,
    name: 'test.lua',
    firstLine: 1,
    libraries,
    limits: { ...DEFAULT_TRANSFORM_LIMITS, ...limits },
  };
  return openTransform(script, {
    wasm: LUA_WASM,
    print: print ?? (() => {}),
    interrupter: createInterrupter(),
  });
}

/** The result of a body for a tensor of shape [1, 2, 3]. */
export async function applyBody(body: string, options?: Options): Promise<Tensor> {
  return (await openBody(body, options)).apply([counted(1, 2, 3)]);
}
