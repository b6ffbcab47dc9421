import type { Engine } from '../engine/engine.ts';
import { memberOf } from '#core/values/member-of.ts';
import { fillMasks } from '../tasks/fill-mask.ts';
import { fillMask } from '../tasks/fill-mask.ts';
import { TASKS } from '../tasks/index.ts';
import type { Inference, PrintOptions } from '../tasks/task.ts';

/** One element of the list that `infer` prints. */
export async function printResult(
  { manifest, tokenOf, decode }: Pick<Engine, 'manifest' | 'tokenOf' | 'decode'>,
  inference: Inference,
  options: PrintOptions,
  text: string,
) {
  if (manifest.mask) {
    const [filled] = await fillMasks({ decode }, [fillMask.result(inference, manifest, options)]);
    return filled;
  }
  const printed = TASKS[manifest.modelType].printed(inference, manifest, options, text);
  if (!options.tokens) return printed;
  const named = <Vector extends Sparse>(vector: Vector) => ({
    ...vector,
    tokens: vector.indices.map(tokenOf),
  });
  if (isSparse(printed)) return named(printed);
  const sparse = memberOf(printed, 'sparse');
  return isSparse(sparse) ? { ...Object(printed), sparse: named(sparse) } : printed;
}

interface Sparse {
  readonly indices: readonly number[];
}

const isSparse = (printed: unknown): printed is Sparse =>
  typeof printed === 'object' && printed !== null && 'indices' in printed;
