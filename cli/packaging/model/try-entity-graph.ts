import { readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fromBinary, toBinary, create } from '@bufbuild/protobuf';
import type { EntitySettings } from '#contract/entity-settings.ts';
import { configError } from '#contract/errors.ts';
import type { WindowSettings } from '#contract/manifest.ts';
import { rowOf, shapeOfRow } from '#core/model/raw-output.ts';
import type { PaddedRows } from '#core/model/pad-rows.ts';
import type { TokenizedText } from '#core/model/tokenized-text.ts';
import { ModelProtoSchema, type GraphProto, NodeProtoSchema } from '#gen/onnx/v1/onnx_pb.ts';
import type { OnnxTools } from '../../adapters/onnxruntime.ts';
import type { TryResult } from '../../adapters/onnxruntime-task.ts';
import { loadEntityTokenizer } from '../../adapters/tokenizers.ts';
import { isClose, quantizesOverBatch } from './find-batching.ts';
import { findMaxLength } from './find-max-length.ts';
import { graphError } from './graph-error.ts';
import type { PreparedTokenizer } from './prepare-tokenizer.ts';
import type { GraphRequest, RewrittenGraph, TriedFile } from './prepared-graph.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { ints } from '#core/onnx/attributes.ts';
import { renameValue } from '../onnx/nested-nodes.ts';
import { pushAll } from '#core/values/push-all.ts';

/** How a zero_shot_ner model reads texts and returns entities. */
interface EntityModel {
  readonly settings: EntitySettings;
  readonly windows: WindowSettings;
  /** The tokenizer of the second encoder, if the model has one. */
  readonly labelJson: string | undefined;
}

/**
 * Texts with different numbers of words, and two entity types, so that no two axes of the output
 * have the same size.
 */
const SAMPLE_TEXTS = ['Hello', 'The quick brown fox jumps over the lazy dog.'];
const SAMPLE_LABELS = ['person', 'place'];

/** Start, end and inside of an entity. */
const POSITIONS = 3;

/** Runs texts and entity types through a graph as the executable will, alone and together. */
export async function tryEntityGraph(
  { settings, windows, labelJson }: EntityModel,
  runtime: OnnxTools,
  request: GraphRequest,
  prepared: PreparedTokenizer,
  rewritten: RewrittenGraph,
  folder: string,
): Promise<TriedFile> {
  const { file: model, isLengthChosen } = request;
  const { maxLength: wanted, padId } = prepared.settings;
  const { inputs, output } = rewritten.signature;
  let { graphPath } = rewritten;
  const tryOut = ({ texts }: Batch): Promise<TryResult> =>
    runtime.tryOut({
      graph: graphPath,
      folder,
      inputs,
      output: output.name,
      ids: texts.map(({ ids }) => [...ids]),
      padId,
      words: {
        mask: texts.map(({ words }) => [...(words?.mask ?? [])]),
        counts: texts.map(({ words }) => words?.count ?? 0),
        maxWidth: settings.maxWidth,
        labels: texts[0]?.labels && labelRows(texts[0].labels),
      },
    });
  const run = async (texts: readonly TokenizedText[]): Promise<TryResult> => {
    try {
      return await tryOut({ texts });
    } catch (error) {
      throw graphError(request, `${model} failed on a sample text`, error);
    }
  };

  const sources = { json: prepared.json, labelJson };
  const tokenizer = await loadEntityTokenizer(sources, prepared.settings, settings, windows);
  const encoded = await tokenizer.encode(
    SAMPLE_TEXTS.map((text) => ({ text })),
    { details: false, labels: SAMPLE_LABELS },
  );
  // A model that reads few words splits the second text into windows.
  const texts = encoded.map((text) => text.windows?.[0] ?? text);
  const together = await run(texts);
  if (settings.level === 'word' && isPositionsFirst(together)) {
    // Earlier versions of the exporter put the three positions on the first axis.
    graphPath = await withPositionsLast(graphPath, output.name);
  }
  const results = graphPath === rewritten.graphPath ? together : await run(texts);
  checkDims(results, texts, settings, request);

  const [short] = texts;
  const filled = (length: number): TokenizedText => fill(short, length, settings.maxWords);
  const maxLength = await findMaxLength({
    run: ([ids = []]) => tryOut({ texts: [filled(ids.length)] }),
    sample: [...(short?.ids ?? [])],
    maxLength: wanted,
    padId,
    isChosen: isLengthChosen,
    model,
  });
  const alone: TryResult[] = [];
  for (const text of texts) alone.push(await run([text]));
  const isEqual = texts.every(({ words }, row) => {
    const count = words?.count ?? 0;
    const single = alone[row];
    return single && isClose(rowOf(results, row, count), rowOf(single, 0, count));
  });
  return {
    graphPath,
    width: settings.level === 'span' ? settings.maxWidth : POSITIONS,
    batching: isEqual && !quantizesOverBatch(rewritten.graph) ? 'any' : 'single',
    maxLength,
    samples: alone.map((raw) => {
      const [, words = 0] = raw.dims;
      return { data: rowOf(raw, 0, words), shape: shapeOfRow(raw, words) };
    }),
  };
}

interface Batch {
  readonly texts: readonly TokenizedText[];
}

const labelRows = ({ ids, lengths, columns }: PaddedRows): number[][] =>
  Array.from(lengths, (length, row) => [...ids.subarray(row * columns, row * columns + length)]);

const isPositionsFirst = ({ dims }: TryResult): boolean =>
  dims[0] === POSITIONS && dims[1] === SAMPLE_TEXTS.length && dims[3] === SAMPLE_LABELS.length;

async function withPositionsLast(graphPath: string, output: string): Promise<string> {
  const proto = fromBinary(ModelProtoSchema, await readFile(graphPath));
  if (proto.graph) moveFirstAxisToEnd(proto.graph, output);
  // A different path, because the first graph is open.
  const path = join(dirname(graphPath), 'positions-last.onnx');
  await writeFile(path, toBinary(ModelProtoSchema, proto));
  return path;
}

function checkDims(
  { dims }: TryResult,
  texts: readonly TokenizedText[],
  { level, maxWidth }: EntitySettings,
  { file }: GraphRequest,
): void {
  const words = greatest(texts.map((text) => text.words?.count ?? 0));
  const types = SAMPLE_LABELS.length;
  const expected = [texts.length, words, ...(level === 'span' ? [maxWidth, types] : [types, POSITIONS])];
  if (dims.length === expected.length && expected.every((size, axis) => size === dims[axis])) return;
  throw configError(
    `${file} returns a tensor of shape [${dims.join(', ')}] for ${texts.length} texts of up to ${words} words and ${types} entity types, but [${expected.join(', ')}] is required. Use the gliner_config.json that belongs to the model.`,
  );
}

/**
 * A text of this many tokens: the first text with its last word repeated, in as many words as the
 * model reads.
 */
function fill(text: TokenizedText | undefined, length: number, maxWords: number): TokenizedText {
  const { ids = new Int32Array(), words, labels } = text ?? {};
  const mask = words?.mask ?? new Int32Array();
  const at = mask.indexOf(1);
  const added = Math.max(0, length - ids.length);
  const count = Math.min(added + 1, maxWords);
  const repeat = (value: (word: number) => number): number[] =>
    Array.from({ length: added }, (_, index) => value(index + 2));
  return {
    truncated: false,
    labels,
    ids: Int32Array.from([...ids.slice(0, at + 1), ...repeat(() => ids[at] ?? 0), ...ids.slice(at + 1)]),
    words: {
      count,
      mask: Int32Array.from([
        ...mask.slice(0, at + 1),
        ...repeat((word) => (word <= count ? word : 0)),
        ...mask.slice(at + 1),
      ]),
    },
  };
}

/** Transposes an output with four axes so that the first axis becomes the last one. Modifies the graph. */
function moveFirstAxisToEnd(graph: GraphProto, output: string): void {
  const inner = `${output}_before_transpose`;
  renameValue(graph, output, inner);
  graph.node.push(
    create(NodeProtoSchema, {
      opType: 'Transpose',
      name: `${output}_transpose`,
      input: [inner],
      output: [output],
      attribute: [ints('perm', [1, 2, 3, 0])],
    }),
  );
  const dims = graph.output.find(({ name }) => name === output)?.type?.tensorType?.shape?.dim;
  if (dims) pushAll(dims, dims.splice(0, 1));
}
