import { layerNorm } from '../../core/tensor/layer-norm.ts';
import { lpNormalize } from '../../core/tensor/lp-normalize.ts';
import { matmul } from '../../core/tensor/matmul.ts';
import { meanPool } from '../../core/tensor/mean-pool.ts';
import { softmax } from '../../core/tensor/softmax.ts';
import { AXIS } from './parameters.ts';
import { type Member, method } from '../member.ts';

/** What is done to vectors and rows of scores as a whole. */
export const VECTORS: readonly Member[] = [
  method({
    name: 'softmax',
    doc: 'Turns scores along an axis into probabilities, which add up to 1. Classes are the last axis of logits: -1.',
    parameters: [AXIS],
    returns: 'tensor',
    call: softmax,
  }),
  method({
    name: 'lp_normalize',
    doc: 'Divides the vectors along an axis by their length, (sum of |x|^p)^(1/p), so that they have length 1; vectors of zeros stay as they are. The numbers of an embedding are the last axis: t:lp_normalize(2, -1).',
    parameters: [
      {
        name: 'p',
        type: 'number',
        doc: '2 for the usual length, 1 for the sum of sizes, math.huge for the greatest size; not 0.',
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
      { name: 'eps', type: 'number', doc: 'Keeps the root away from 0; models mostly use 1e-5 or 1e-12.' },
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
        doc: 'Of shape [batch, tokens], 1 for tokens that count and 0 for padding: what Postprocess gets as its second argument.',
      },
    ],
    returns: 'tensor',
    call: meanPool,
  }),
  method({
    name: 'matmul',
    doc: 'The matrix product: [n, k] and [k, m] give [n, m]. Axes before the last two are broadcast. A tensor of one axis is a row on the left and a column on the right, and the result does not have that axis.',
    parameters: [{ name: 'other', type: 'tensor', doc: 'The right-hand side.' }],
    returns: 'tensor',
    call: matmul,
  }),
];
