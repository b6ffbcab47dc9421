import { layerNorm, lpNormalize, softmaxOfTensor } from '#core/tensor/normalize.ts';
import { matmul } from '#core/tensor/matmul.ts';
import { meanPool } from '#core/tensor/mean-pool.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** Operations on vectors and rows of scores. */
export const VECTORS: readonly Member[] = [
  method({
    name: 'softmax',
    doc: 'Turns scores along an axis into probabilities that add up to 1. The classes of logits are on the last axis, -1.',
    parameters: [AXIS],
    returns: 'tensor',
    call: softmaxOfTensor,
  }),
  method({
    name: 'lp_normalize',
    doc: 'Divides the vectors along an axis by their norm, (sum of |x|^p)^(1/p), so that they have norm 1; zero vectors are unchanged. The dimensions of an embedding are on the last axis: t:lp_normalize(2, -1).',
    parameters: [
      {
        name: 'p',
        type: 'number',
        doc: '2 for the Euclidean norm, 1 for the sum of absolute values, math.huge for the maximum absolute value; 0 is not allowed.',
      },
      AXIS,
    ],
    returns: 'tensor',
    call: lpNormalize,
  }),
  method({
    name: 'layer_norm',
    doc: 'Shifts and scales the vectors along an axis to mean 0 and variance 1: (x - mean) / sqrt(variance + eps).',
    parameters: [
      AXIS,
      {
        name: 'eps',
        type: 'number',
        doc: 'Added to the variance to avoid division by zero; models typically use 1e-5 or 1e-12.',
      },
    ],
    returns: 'tensor',
    call: layerNorm,
  }),
  method({
    name: 'mean_pool',
    doc: 'The mean of the token vectors of each text, weighted by the mask: [batch, tokens, width] gives [batch, width]. A text whose mask is all zeros gives NaN.',
    parameters: [
      {
        name: 'mask',
        type: 'tensor',
        doc: 'Mask of shape [batch, tokens]: 1 for tokens to include, 0 for padding. Postprocess receives it as its second argument.',
      },
    ],
    returns: 'tensor',
    call: meanPool,
  }),
  method({
    name: 'matmul',
    doc: 'The matrix product: [n, k] and [k, m] give [n, m]. Axes before the last two are broadcast. A tensor with one axis is treated as a row on the left and as a column on the right, and the result does not have that axis.',
    parameters: [{ name: 'other', type: 'tensor', doc: 'The right-hand operand.' }],
    returns: 'tensor',
    call: matmul,
  }),
];
