import type { Engine } from '../engine/engine.ts';
import { TASKS } from '../tasks/index.ts';
import type { Inference, PrintOptions } from '../tasks/task.ts';

/** One element of the list that `infer` prints. */
export function printResult(
  { manifest, tokenOf }: Pick<Engine, 'manifest' | 'tokenOf'>,
  inference: Inference,
  options: PrintOptions,
  text: string,
) {
  const printed = TASKS[manifest.modelType].printed(inference, manifest, options, text);
  return options.tokens && isSparse(printed) ? { ...printed, tokens: printed.indices.map(tokenOf) } : printed;
}

const isSparse = (printed: unknown): printed is { readonly indices: readonly number[] } =>
  typeof printed === 'object' && printed !== null && 'indices' in printed;
