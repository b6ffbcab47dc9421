import type { Engine } from '../engine/engine.ts';
import { fillMasks } from '../tasks/masks.ts';
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
  return options.tokens && isSparse(printed) ? { ...printed, tokens: printed.indices.map(tokenOf) } : printed;
}

const isSparse = (printed: unknown): printed is { readonly indices: readonly number[] } =>
  typeof printed === 'object' && printed !== null && 'indices' in printed;
