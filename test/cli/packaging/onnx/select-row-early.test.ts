import { create } from '@bufbuild/protobuf';
import { describe, expect, test } from 'vitest';
import { int, ints } from '#core/onnx/attributes.ts';
import { FLOAT32, INT64 } from '#core/onnx/element-types.ts';
import { selectRowEarly, selectRowsByInput } from '#cli/packaging/onnx/select-row-early.ts';
import {
  type AttributeProto,
  type GraphProto,
  GraphProtoSchema,
  NodeProtoSchema,
  TensorProtoSchema,
  ValueInfoProtoSchema,
} from '#gen/onnx/v1/onnx_pb.ts';

const WIDTH = 8;

const tensor = (name: string, dims: readonly number[], integers?: readonly number[]) =>
  create(TensorProtoSchema, {
    name,
    dims: dims.map(BigInt),
    dataType: integers ? INT64 : FLOAT32,
    rawData: integers ? new Uint8Array(BigInt64Array.from(integers, BigInt).buffer) : new Uint8Array(),
  });

const value = (name: string, axes: number) =>
  create(ValueInfoProtoSchema, {
    name,
    type: { tensorType: { elemType: FLOAT32, shape: { dim: Array.from({ length: axes }, () => ({})) } } },
  });

type Step = [opType: string, input: string[], output: string, ...attributes: AttributeProto[]];

/** A graph from `hidden` (texts x tokens x width) to `logits`, which ends with a Gather of `index`. */
function graphOf(steps: readonly Step[], { index = 0, outputs = ['logits'] } = {}): GraphProto {
  const all: Step[] = [...steps, ['Gather', ['last', 'index'], 'logits', int('axis', 1)]];
  return create(GraphProtoSchema, {
    input: [value('hidden', 3)],
    output: outputs.map((name) => value(name, 2)),
    initializer: [
      tensor('weight', [WIDTH, WIDTH]),
      tensor('bias', [WIDTH]),
      tensor('index', [], [index]),
      tensor('windows', [3], [-1, 4, WIDTH]),
      tensor('heads', [4], [0, -1, 2, WIDTH / 2]),
      tensor('merged pairs', [3], [0, -1, 2 * WIDTH]),
      tensor('wide', [2 * WIDTH, WIDTH]),
    ],
    node: all.map(([opType, input, output, ...attribute]) =>
      create(NodeProtoSchema, { opType, name: output, input: [...input], output: [output], attribute }),
    ),
  });
}

/** The operators of a graph with their inputs. */
const shown = ({ node }: GraphProto): string[] =>
  node.map(({ opType, input }) => `${opType} ${input.join(' ')}`);

const LAYER: Step[] = [
  ['MatMul', ['hidden', 'weight'], 'up'],
  ['Add', ['up', 'bias'], 'biased'],
  ['Gelu', ['biased'], 'active'],
  ['Add', ['active', 'hidden'], 'last'],
];

test('computes the layers before a selected row for this row alone', () => {
  const graph = graphOf(LAYER);
  expect(selectRowEarly(graph)).toBe(true);
  expect(shown(graph)).toEqual([
    'Slice hidden first_rows_list_0 first_rows_list_1 first_rows_list_1',
    'MatMul hidden_first_rows_1 weight',
    'Add up bias',
    'Gelu biased',
    'Add active hidden_first_rows_1',
    'Gather last index',
  ]);
});

test('does not compute rows alone that other readers need', () => {
  const all: Step = ['MatMul', ['active', 'weight'], 'scores'];
  const graph = graphOf([...LAYER, all], { outputs: ['logits', 'scores'] });
  expect(selectRowEarly(graph)).toBe(false);
  expect(shown(graph)).toEqual(shown(graphOf([...LAYER, all])));
});

test.each<[string, GraphProto]>([
  ['the selected row is not the first one', graphOf(LAYER, { index: 1 })],
  ['all rows are also an output', graphOf(LAYER, { outputs: ['logits', 'last'] })],
  [
    'a Reshape joins windows to texts',
    graphOf([...LAYER.slice(0, 3), ['Reshape', ['active', 'windows'], 'last']]),
  ],
  [
    'a Reshape joins pairs of rows',
    graphOf([
      ['MatMul', ['hidden', 'weight'], 'up'],
      ['Reshape', ['up', 'merged pairs'], 'pairs'],
      ['Gelu', ['pairs'], 'last'],
    ]),
  ],
  [
    'softmax is computed over the rows',
    graphOf([
      ['MatMul', ['hidden', 'weight'], 'up'],
      ['Softmax', ['up'], 'last', int('axis', 1)],
    ]),
  ],
  [
    'a norm uses all rows',
    graphOf([
      ['MatMul', ['hidden', 'weight'], 'up'],
      ['LayerNormalization', ['up', 'bias'], 'last', int('axis', 1)],
    ]),
  ],
  [
    'attention is causal',
    graphOf([
      ['MatMul', ['hidden', 'weight'], 'query'],
      [
        'MultiHeadAttention',
        ['query', 'hidden', 'hidden'],
        'last',
        int('num_heads', 2),
        int('unidirectional', 1),
      ],
    ]),
  ],
  [
    'an operator is unknown',
    graphOf([
      ['MatMul', ['hidden', 'weight'], 'up'],
      ['CumSum', ['up', 'index'], 'last'],
    ]),
  ],
])('keeps the graph if %s', (_, graph) => {
  const before = shown(graph);
  expect(selectRowEarly(graph)).toBe(false);
  expect(shown(graph)).toEqual(before);
});

test('follows the row through the axes of attention', () => {
  const graph = graphOf([
    ['MatMul', ['hidden', 'weight'], 'query'],
    ['Shape', ['hidden'], 'shape'],
    ['Reshape', ['query', 'heads'], 'by head'],
    ['Transpose', ['by head'], 'queries', ints('perm', [0, 2, 1, 3])],
    ['Reshape', ['hidden', 'heads'], 'keys by head'],
    ['Transpose', ['keys by head'], 'keys', ints('perm', [0, 2, 3, 1])],
    ['MatMul', ['queries', 'keys'], 'scores'],
    ['Softmax', ['scores'], 'weights', int('axis', -1)],
    ['Transpose', ['keys by head'], 'values', ints('perm', [0, 2, 1, 3])],
    ['MatMul', ['weights', 'values'], 'attended'],
    ['Transpose', ['attended'], 'by row', ints('perm', [0, 2, 1, 3])],
    ['Reshape', ['by row', 'joined'], 'last'],
  ]);
  graph.initializer.push(tensor('joined', [3], [0, 0, WIDTH]));
  expect(selectRowEarly(graph)).toBe(true);
  expect(shown(graph)).toEqual([
    'Slice hidden first_rows_list_0 first_rows_list_1 first_rows_list_1',
    'MatMul hidden_first_rows_1 weight',
    'Reshape query first_rows_list_0_0_2_4',
    'Transpose by head',
    'Reshape hidden heads',
    'Transpose keys by head',
    'MatMul queries keys',
    'Softmax scores',
    'Transpose keys by head',
    'MatMul weights values',
    'Transpose attended',
    'Reshape by row first_rows_list_0_0_8',
    'Gather last index',
  ]);
});

describe('selectRowsByInput', () => {
  const [FIRST, AXIS] = ['first_rows_list_0', 'first_rows_list_1'];
  const vectors = (steps: readonly Step[], outputs = ['last']): GraphProto => {
    const graph = graphOf(steps);
    graph.node.pop();
    graph.output = outputs.map((name) => value(name, 3));
    return graph;
  };

  test('computes as many rows of the last layer as an input states', () => {
    const graph = vectors(LAYER);
    expect(selectRowsByInput(graph, 'last')).toBe(true);
    expect(shown(graph)).toEqual([
      `Slice hidden ${FIRST} computed_rows ${AXIS}`,
      'MatMul hidden_first_rows_1 weight',
      'Add up bias',
      'Gelu biased',
      'Add active hidden_first_rows_1',
      `Slice last_of_all_rows ${FIRST} computed_rows ${AXIS}`,
    ]);
    expect(graph.node.at(-1)?.output).toEqual(['last']);
    expect(graph.input.map(({ name }) => name)).toEqual(['hidden', 'computed_rows']);
    expect(graph.output[0]?.type?.tensorType?.shape?.dim[1]?.dimParam).toBe('computed_rows');
  });

  test('other outputs that are computed from the vectors have the same rows', () => {
    const graph = vectors([...LAYER, ['MatMul', ['last', 'weight'], 'weights']], ['last', 'weights']);
    expect(selectRowsByInput(graph, 'last')).toBe(true);
    expect(shown(graph).at(-1)).toBe('MatMul last weight');
  });

  test.each<[string, GraphProto]>([
    ['no product is saved', vectors([['Gelu', ['hidden'], 'last']])],
    [
      'another output needs all rows',
      vectors([...LAYER, ['MatMul', ['active', 'weight'], 'scores']], ['last', 'scores']),
    ],
  ])('keeps the graph if %s', (_, graph) => {
    const [before, outputs] = [shown(graph), graph.node.flatMap(({ output }) => output)];
    expect(selectRowsByInput(graph, 'last')).toBe(false);
    expect(shown(graph)).toEqual(before);
    expect(graph.node.flatMap(({ output }) => output)).toEqual(outputs);
    expect(graph.initializer.map(({ name }) => name).join()).not.toContain('first_rows');
    expect(graph.input.map(({ name }) => name)).toEqual(['hidden']);
  });
});
