import type { InputsOf } from '../engine/engine.ts';
import type { PrintOptions, Task } from '../tasks/task.ts';

/** The inputs of the model that each text becomes; undefined if it is the text. */
export const inputsOf = ({ inputs }: Task<unknown>, options: PrintOptions): InputsOf | undefined =>
  inputs && ((text) => inputs(text, options));
