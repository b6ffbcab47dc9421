import { int, text } from '#core/onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

/**
 * A feed-forward layer with several networks (experts), of which a router selects some for each
 * token, with the weight names of Nomic. Each expert only runs on its tokens: with all experts on all
 * tokens, a model of the size of Nomic's takes 2.0 to 2.4 times the CPU time.
 */
export function experts(g: EncoderGraph, rows: Value, mlp: string, activation: string): Value {
  const { config, writer } = g;
  const count = config.size('num_experts', 1);
  const size = config.size(['n_inner', 'intermediate_size'], 3072);
  // A row of zeros, which all experts turn to zeros: the operators of quantized models fail on an
  // expert without tokens.
  const withZeros = appendRow(g, rows, 0);
  const weights = appendRow(g, expertWeights(g, rows, mlp), 1);
  let sum = g.multiply(withZeros, writer.float(0));
  for (let expert = 0; expert < count; expert += 1) {
    const part = (name: string): Value => {
      const [from, to] = [writer.integers([expert * size]), writer.integers([(expert + 1) * size])];
      return writer.op('Slice', [g.weight(`${mlp}.experts.mlp.${name}`), from, to, writer.integers([0])]);
    };
    const weight = writer.op('Gather', [weights, writer.integers([expert])], int('axis', 1));
    // The numbers of the tokens with this expert, tokens x 1.
    const nonZero = writer.op('NonZero', [writer.op('Squeeze', [weight, writer.integers([1])])]);
    const tokens = writer.op('Transpose', [nonZero]);
    const inner = writer.op(
      'Gemm',
      [writer.op('GatherND', [withZeros, tokens]), part('w1')],
      int('transB', 1),
    );
    const output = writer.op('MatMul', [g.activation(inner, activation), part('w2')]);
    const weighted = g.multiply(output, writer.op('GatherND', [weight, tokens]));
    sum = writer.op('ScatterND', [sum, tokens, weighted], text('reduction', 'add'));
  }
  const [zero, last] = [writer.integers([0]), writer.integers([-1])];
  return g.add(writer.op('Slice', [sum, zero, last, zero]), g.weight(`${mlp}.experts.bias`));
}

/** Appends a row whose values are all `value`. */
function appendRow(g: EncoderGraph, rows: Value, value: number): Value {
  const { writer } = g;
  const first = writer.op('Slice', [rows, ...[0, 1, 0].map((at) => writer.integers([at]))]);
  const row = g.add(g.multiply(first, writer.float(0)), writer.float(value));
  return writer.op('Concat', [rows, row], int('axis', 0));
}

/** The weight of each expert for each token; 0 for experts that are not selected. The others do not sum to 1. */
function expertWeights(g: EncoderGraph, rows: Value, mlp: string): Value {
  const { config, writer } = g;
  const selected = writer.integers([config.requiredNumber('moe_top_k')]);
  const all = writer.op('Softmax', [g.linear(rows, `${mlp}.router.layer`)], int('axis', -1));
  const [values = '', indexes = ''] = writer.results('TopK', [all, selected], 2, int('axis', -1));
  const zeros = g.multiply(all, writer.float(0));
  return writer.op('ScatterElements', [zeros, indexes, values], int('axis', 1));
}
