import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import type { InferOptions } from '../engine/engine.ts';
import type { PrintOptions, Task } from '../tasks/task.ts';

/** How the model reads the texts. */
export const inferOptions = ({ inputs }: Task<unknown>, options: PrintOptions): InferOptions => ({
  prompt: options.prompt,
  inputsOf: inputs && ((text) => inputs(text, options)),
  labels: options.entities?.labels,
  tokenOutputs: tokenOutputsAmong(options.outputs),
});
