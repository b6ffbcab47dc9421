import type { DeviceState } from './serving.ts';

/** Describes the device that runs the model in one line. */
export function deviceText(state: DeviceState): string {
  if (state.device === 'cpu') {
    const { reason } = state;
    return reason === undefined ? 'CPU; the GPU is being checked' : `CPU: ${reason}`;
  }
  const { precision, note, minTokens, maxTokens, isSlower } = state;
  const name = precision === 'float16' ? `${state.name} with float16` : state.name;
  const problem = note === undefined ? '' : `; ${note}`;
  if (isSlower) return `${name}, although it is slower than the CPU for this model${problem}`;
  const small = minTokens > 1 ? `; fewer than ${minTokens} tokens run on the CPU` : '';
  return `${name}, batches of up to ${maxTokens} tokens${small}${problem}`;
}
