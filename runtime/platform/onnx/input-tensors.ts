import type { WordInput } from '#core/model/word-inputs.ts';
import { OnnxTensor } from './session.ts';

/** A tensor of int64. */
export const integerTensor = (values: Int32Array, dims: readonly number[]): OnnxTensor =>
  new OnnxTensor('int64', widen(values), dims);

/** A tensor of int64, or of truth values. */
export const wordTensor = ({ values, dims }: WordInput): OnnxTensor =>
  values instanceof Int32Array ? integerTensor(values, dims) : new OnnxTensor('bool', values, dims);

/** Writes int64 values through their low words, which is several times faster than creating a BigInt for each. */
function widen(values: Int32Array): BigInt64Array {
  const wide = new BigInt64Array(values.length);
  const words = new Int32Array(wide.buffer);
  for (const [index, value] of values.entries()) words[index * 2] = value;
  return wide;
}
