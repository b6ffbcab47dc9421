import { configError } from '#contract/errors.ts';
import { int, ints, text } from '#core/onnx/attributes.ts';
import { BOOL, FLOAT32, INT64 } from '#core/onnx/element-types.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import { type EntityFusion, type EntityVectors, fuseEntities } from './entity-fusion.ts';
import type { Value } from './graph-writer.ts';
import { encodeLabels, type LabelEncoder } from './label-encoder.ts';
import { ofTexts, type WriteOutput } from './write-graph.ts';

/** How a GLiNER model computes its scores. */
export interface EntityGraph {
  /** Whether scores are for spans of words or for single words. */
  readonly level: 'span' | 'word';
  /** Maximum number of words of a span. */
  readonly maxWidth: number;
  readonly types: TypeTokens | LabelEncoder;
  /** Undefined if words and entity types do not attend to each other. */
  readonly fusion?: EntityFusion | undefined;
  /** Whether a word is represented by the mean of its tokens. Otherwise, one of its tokens has its number. */
  readonly isMean: boolean;
}

/** The tokens that represent the entity types before a text. */
interface TypeTokens {
  /** Id of the token before each entity type. */
  readonly id: number;
  /** Whether this token represents the entity type. Otherwise, it is the token after it. */
  readonly isRepresentative: boolean;
}

/** The prefix of the encoder's weights. */
export const ENTITY_ENCODER = 'token_rep_layer.bert_layer.model.';

const INT32 = 6;

/** Output: scores of entity types for the spans that start at each word, or for each word. */
export const writeEntityLogits = (model: EntityGraph): WriteOutput =>
  ofTexts((g, { encode }) => {
    const { writer } = g;
    const encoded = encode(g);
    const projection = 'token_rep_layer.projection';
    const tokens = g.byText(g.weights.has(`${projection}.weight`) ? g.linear(encoded, projection) : encoded);
    const counts = writer.input('text_lengths', { type: INT64, axes: ['batch', 'one'] });
    const mask = writer.input('words_mask');
    const picked = pick(g, tokens, { numbers: mask, most: largest(g, counts), isMean: model.isMean });
    const { words, types } =
      'architecture' in model.types
        ? withLabels(g, picked, counts, model.types, model.fusion)
        : { words: readWords(g, picked, counts), types: pickTypes(g, tokens, model.types) };
    return model.level === 'span'
      ? {
          value: spanLogits(g, words, types, model),
          name: 'logits',
          axes: ['batch', 'words', 'width', 'types'],
        }
      : { value: wordLogits(g, words, types), name: 'logits', axes: ['batch', 'words', 'types', 'three'] };
  });

/** Without LSTM layers: models with a second encoder can have their weights, but do not use them. */
function withLabels(
  g: EncoderGraph,
  words: Value,
  counts: Value,
  encoder: LabelEncoder,
  fusion: EntityFusion | undefined,
): EntityVectors {
  const vectors = { words, types: encodeLabels(g, encoder) };
  return fusion ? fuseEntities(g, vectors, counts, fusion) : vectors;
}

/** The largest of some integers, as a list with one number. */
const largest = (g: EncoderGraph, value: Value): Value =>
  g.writer.op('Reshape', [g.writer.op('ReduceMax', [value], int('keepdims', 0)), g.writer.integers([1])]);

interface Picked {
  /** The number of the row for which each token counts, from 1; 0 for tokens that do not count. */
  readonly numbers: Value;
  readonly most: Value;
  readonly isMean?: boolean;
}

/**
 * One row for each number: the vector of the token with this number, or the mean of several. Rows
 * without tokens are zeros.
 */
function pick(g: EncoderGraph, tokens: Value, { numbers, most, isMean = false }: Picked): Value {
  const { writer } = g;
  const end = writer.op('Add', [writer.op('Squeeze', [most]), writer.integer(1)]);
  const wanted = writer.op('Range', [writer.integer(1), end, writer.integer(1)]);
  const column = writer.op('Unsqueeze', [wanted, writer.integers([1])]);
  const isChosen = writer.op('Equal', [writer.op('Unsqueeze', [numbers, writer.integers([1])]), column]);
  const chosen = writer.op('Cast', [isChosen], int('to', FLOAT32));
  const sum = writer.op('MatMul', [chosen, tokens]);
  if (!isMean) return sum;
  const count = writer.op('ReduceSum', [chosen, writer.integers([2])], int('keepdims', 1));
  return writer.op('Div', [sum, writer.op('Max', [count, writer.float(1)])]);
}

/** The vectors of the entity types before a text. */
function pickTypes(g: EncoderGraph, tokens: Value, { id, isRepresentative }: TypeTokens): Value {
  const { writer } = g;
  const isType = writer.op('Equal', [g.inputIds, writer.integer(id)]);
  const marks = g.multiply(writer.op('Cast', [isType], int('to', INT64)), g.mask);
  const running = writer.op('CumSum', [marks, writer.integer(1)]);
  const numbers = g.multiply(running, marks);
  const most = largest(g, running);
  if (isRepresentative) return pick(g, tokens, { numbers, most });
  // Moves each number to the next token.
  const padded = writer.op('Pad', [numbers, writer.integers([0, 1, 0, 0])]);
  const moved = writer.op('Slice', [
    padded,
    writer.integers([0]),
    writer.integers([-1]),
    writer.integers([1]),
  ]);
  return pick(g, tokens, { numbers: moved, most });
}

/** Runs the LSTM layers, if the model has any. */
function readWords(g: EncoderGraph, words: Value, counts: Value): Value {
  const { writer } = g;
  let rows = words;
  for (let layer = 0; g.weights.has(`rnn.lstm.weight_ih_l${layer}`); layer += 1) {
    const parts = (name: string): [forward: Value, backward: Value] => [
      gatesOf(g, `rnn.lstm.${name}_l${layer}`),
      gatesOf(g, `rnn.lstm.${name}_l${layer}_reverse`),
    ];
    const stacked = (values: readonly Value[]): Value =>
      writer.op(
        'Concat',
        values.map((value) => writer.op('Unsqueeze', [value, writer.integers([0])])),
        int('axis', 0),
      );
    const [inputBiases, ownBiases] = [parts('bias_ih'), parts('bias_hh')];
    const biases = inputBiases.map((bias, at) =>
      writer.op('Concat', [bias, ownBiases[at] ?? ''], int('axis', 0)),
    );
    const lengths = writer.op('Reshape', [
      writer.op('Cast', [counts], int('to', INT32)),
      writer.integers([-1]),
    ]);
    const [, width = 0] = g.weights.get(`rnn.lstm.weight_hh_l${layer}`).shape;
    const [output = ''] = writer.results(
      'LSTM',
      [
        writer.op('Transpose', [rows], ints('perm', [1, 0, 2])),
        stacked(parts('weight_ih')),
        stacked(parts('weight_hh')),
        stacked(biases),
        lengths,
      ],
      1,
      text('direction', 'bidirectional'),
      int('hidden_size', width),
    );
    // From words x directions x texts x width to texts x words x both directions.
    const byText = writer.op('Transpose', [output], ints('perm', [2, 0, 1, 3]));
    rows = writer.op('Reshape', [byText, writer.integers([0, 0, 2 * width])]);
  }
  return rows;
}

/** The weights of an LSTM. torch has the gates in the order input, forget, cell, output; ONNX has the output second. */
function gatesOf(g: EncoderGraph, name: string): Value {
  const { writer } = g;
  const [rows = 0] = g.weights.get(name).shape;
  if (rows % 4 !== 0)
    throw configError(`The tensor ${name} must have four parts of equal size. Download the weights again.`);
  const [input = '', forget = '', cell = '', output = ''] = writer.results(
    'Split',
    [g.weight(name)],
    4,
    int('axis', 0),
    int('num_outputs', 4),
  );
  return writer.op('Concat', [input, output, forget, cell], int('axis', 0));
}

/** Two linear layers with ReLU, the first and the last module of a list. */
function project(g: EncoderGraph, value: Value, name: string): Value {
  return g.dense(g.writer.op('Relu', [g.dense(value, `${name}.0`)]), `${name}.3`);
}

function spanLogits(g: EncoderGraph, words: Value, types: Value, { maxWidth }: EntityGraph): Value {
  const { writer } = g;
  const layer = 'span_rep_layer.span_rep_layer';
  const spans = writer.input('span_idx', { type: INT64, axes: ['batch', 'spans', 'two'] });
  const mask = writer.input('span_mask', { type: BOOL, axes: ['batch', 'spans'] });
  const known = writer.op('Cast', [writer.op('Unsqueeze', [mask, writer.integers([2])])], int('to', INT64));
  const indexes = g.multiply(spans, known);
  const ends = ['project_start', 'project_end'].map((name, at) =>
    writer.op(
      'GatherND',
      [
        project(g, words, `${layer}.${name}`),
        writer.op('Slice', [indexes, writer.integers([at]), writer.integers([at + 1]), writer.integers([2])]),
      ],
      int('batch_dims', 1),
    ),
  );
  const joined = writer.op('Relu', [writer.op('Concat', ends, int('axis', -1))]);
  const vectors = project(g, joined, `${layer}.out_project`);
  const columns = writer.op('Transpose', [project(g, types, 'prompt_rep_layer')], ints('perm', [0, 2, 1]));
  const scores = writer.op('MatMul', [vectors, columns]);
  // From texts x spans x types to texts x words x widths x types.
  const shape = writer.op(
    'Concat',
    [
      writer.op('Shape', [words], int('start', 0), int('end', 2)),
      writer.integers([maxWidth]),
      writer.op('Shape', [types], int('start', 1), int('end', 2)),
    ],
    int('axis', 0),
  );
  return writer.op('Reshape', [scores, shape]);
}

/** For each word and type, the scores for an entity that starts there, ends there, and contains the word. */
function wordLogits(g: EncoderGraph, words: Value, types: Value): Value {
  const { writer } = g;
  const halves = (value: Value, name: string, axis: number): Value[] =>
    writer
      .split(g.dense(value, `scorer.${name}`), 2)
      .map((half) => writer.op('Unsqueeze', [half, writer.integers([axis])]));
  // texts x words x 1 x width, and texts x 1 x types x width
  const [word = '', wordFactor = ''] = halves(words, 'proj_token', 2);
  const [type = '', typeFactor = ''] = halves(types, 'proj_label', 1);
  const product = g.multiply(wordFactor, typeFactor);
  const shape = writer.op('Shape', [product]);
  const expanded = (value: Value): Value => writer.op('Expand', [value, shape]);
  const joined = writer.op('Concat', [expanded(word), expanded(type), product], int('axis', -1));
  return project(g, joined, 'scorer.out_mlp');
}
