import { INT64 } from '#core/onnx/element-types.ts';
import { int } from '#core/onnx/attributes.ts';
import type { EncoderGraph } from './encoder-graph.ts';
import type { Value } from './graph-writer.ts';

const WORDS = 'embeddings.word_embeddings';
const POSITIONS = 'embeddings.position_embeddings';
const TYPES = 'embeddings.token_type_embeddings';
const TASKS = 'embeddings.task_type_embeddings';

/** The vector of each token, texts x length x width. */
export const wordEmbeddings = (g: EncoderGraph, table = WORDS): Value => g.lookUp(table, g.inputIds);

/** Adds the token type vectors, if the model has them. */
export function addTokenTypes(g: EncoderGraph, value: Value): Value {
  if (!g.hasWeight(`${TYPES}.weight`)) return value;
  return g.add(value, g.lookUp(TYPES, g.writer.input('token_type_ids')));
}

/** Adds the vector of the first task, which applies if a request does not select a task. */
export const addFirstTask = (g: EncoderGraph, value: Value): Value =>
  g.add(value, g.lookUp(TASKS, g.writer.integer(0)));

/** Adds the vectors for positions 0, 1, 2 …; that of position 0 is the row `first` of the table. */
export function addPositions(g: EncoderGraph, value: Value, table = POSITIONS, first = 0): Value {
  const start = g.writer.integers([first]);
  const end = first === 0 ? g.length : g.add(g.length, start);
  const rows = g.writer.op('Slice', [g.weight(`${table}.weight`), start, end, g.writer.integers([0])]);
  return g.add(value, rows);
}

/** Adds position vectors as RoBERTa does: the position of a text's first token is the padding id plus 1. */
export const addPositionsAfterPadding = (g: EncoderGraph, value: Value, padId: number): Value =>
  g.add(value, g.lookUp(POSITIONS, positionsAfterPadding(g, padId)));

/** The positions of tokens as in RoBERTa, texts x length. */
export function positionsAfterPadding(g: EncoderGraph, padId: number): Value {
  const { writer } = g;
  const isToken = writer.op(
    'Cast',
    [writer.op('Not', [writer.op('Equal', [g.inputIds, writer.integer(padId)])])],
    int('to', INT64),
  );
  const counted = g.multiply(writer.op('CumSum', [isToken, writer.integer(1)]), isToken);
  return g.add(counted, writer.integer(padId));
}
