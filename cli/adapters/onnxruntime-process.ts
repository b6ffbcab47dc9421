import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { messageOf } from '#contract/errors.ts';
import {
  ADAPTER_INPUT,
  LABEL_PREFIX,
  WORD_INPUT_NAMES,
  PIXEL_INPUT,
  ROWS_INPUT,
} from '#contract/manifest.ts';
import { WORD_INPUTS } from '#core/model/word-inputs.ts';
import {
  loadOnnxRuntime,
  openOnnxSession,
  optimizeModel,
  type OnnxRuntime,
  type OnnxSession,
  OnnxTensor,
  wordTensor,
} from '#platform/onnx/session.ts';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import { endWithParent } from './end-with-parent.ts';
import type {
  MeasureResult,
  MeasureTask,
  OnnxAnswer,
  OnnxTask,
  RunTask,
  TryResult,
  TryTask,
} from './onnxruntime-task.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Runs in the process that `onnxruntime.ts` starts: runs the tasks that it receives, one at a time. */
export function runOnnxRuntimeProcess(): void {
  endWithParent();
  const opened: OpenedGraphs = new Map();
  // Loading the library takes as long as the other process needs to read the tokenizer, so it
  // starts before the first task.
  const loading = load();
  loading.catch(() => {});
  process.on('message', (task: OnnxTask) => {
    void answer(task, loading, opened).then((result) => process.send?.(result));
  });
}

const load = async (): Promise<OnnxRuntime> => loadOnnxRuntime((await loadNativeLibraries()).onnxruntime);

/**
 * Open sessions by graph. They are reused because a build runs each graph about ten times; each
 * session has its own threads.
 */
type OpenedGraphs = Map<string, OnnxSession>;

async function answer(
  task: OnnxTask,
  loading: Promise<OnnxRuntime>,
  opened: OpenedGraphs,
): Promise<OnnxAnswer> {
  try {
    const addon = await loading;
    if (task.kind === 'try') return { result: await tryOut(addon, task, opened) };
    if (task.kind === 'measure') return { result: await measure(addon, task) };
    opened.delete(task.graph);
    optimizeModel(addon, task);
    return { result: undefined };
  } catch (error) {
    return { error: messageOf(error) };
  }
}

async function tryOut(addon: OnnxRuntime, task: TryTask, opened: OpenedGraphs): Promise<TryResult> {
  const { graph, output, prepack = false, isUnused = false } = task;
  const key = prepack ? `${graph} prepacked` : graph;
  const session = opened.get(key) ?? (await open(addon, task, prepack));
  opened.set(key, session);
  const feeds = feedsOf(task, task.ids);
  const before = process.cpuUsage();
  const { type, dims, data } = session.run(feeds, output);
  const { user, system } = process.cpuUsage(before);
  return {
    type,
    dims: [...dims],
    data: isUnused ? NO_DATA : (data as Float32Array),
    processorMs: (user + system) / 1000,
  };
}

const NO_DATA = new Float32Array();

async function measure(addon: OnnxRuntime, task: MeasureTask): Promise<MeasureResult[]> {
  // These runs are too short to benefit from more threads, which would also spin while they wait
  // for each other.
  const session = await open(addon, task, false, 1);
  const runs = task.runs.map(({ ids, computedRows }) =>
    session
      .runAll(feedsOf({ ...task, computedRows }, ids), task.values)
      .map(({ type, dims }) => ({ type, dims: [...dims] })),
  );
  return task.values.map((name, at) => ({
    name,
    type: runs[0]?.[at]?.type ?? '',
    dims: runs.map((values) => values[at]?.dims ?? []),
  }));
}

const open = async (
  addon: OnnxRuntime,
  { graph, folder }: RunTask,
  prepack: boolean,
  threads = availableParallelism(),
): Promise<OnnxSession> =>
  openOnnxSession(addon, {
    graph: await readFile(graph),
    weightsFolder: folder,
    threads,
    prepack,
    bfloat16: false,
  });

function feedsOf(
  { inputs, padId, fixedShape = {}, firstPosition = 0, words, images, computedRows }: RunTask,
  ids: readonly (readonly number[])[],
): Record<string, OnnxTensor> {
  if (images) return { [PIXEL_INPUT]: new OnnxTensor('float32', images.values, images.dims) };
  const columns = fixedShape.tokens ?? greatest(ids.map((row) => row.length));
  // If the batch has more rows than texts, the additional rows repeat the first text.
  const rows = Array.from({ length: fixedShape.texts ?? ids.length }, (_, at) => ids[at] ?? ids[0] ?? []);
  const feeds: Record<string, OnnxTensor> = {
    ...tokenFeeds(rows, columns, padId, firstPosition),
    ...(words ? wordFeeds(words, columns) : {}),
    ...(words?.labels ? labelFeeds(words.labels) : {}),
    [ROWS_INPUT]: new OnnxTensor('int64', BigInt64Array.of(BigInt(computedRows ?? columns)), [1]),
  };
  return Object.fromEntries(Object.entries(feeds).filter(([name]) => inputs.includes(name)));
}

function tokenFeeds(
  rows: readonly (readonly number[])[],
  columns: number,
  padId: number,
  firstPosition: number,
): Record<string, OnnxTensor> {
  const cells = (value: (row: readonly number[], column: number) => number): OnnxTensor =>
    new OnnxTensor(
      'int64',
      BigInt64Array.from(
        rows.flatMap((row) => Array.from({ length: columns }, (_, column) => BigInt(value(row, column)))),
      ),
      [rows.length, columns],
    );
  return {
    input_ids: cells((row, column) => row[column] ?? padId),
    attention_mask: cells((row, column) => (column < row.length ? 1 : 0)),
    token_type_ids: cells(() => 0),
    position_ids: cells((_row, column) => firstPosition + column),
    // No adapter.
    [ADAPTER_INPUT]: cells(() => -1),
  };
}

/** Padding has the id 0, which is in every vocabulary. */
function labelFeeds(labels: readonly (readonly number[])[]): Record<string, OnnxTensor> {
  const feeds = tokenFeeds(labels, greatest(labels.map((row) => row.length)), 0, 0);
  return Object.fromEntries(Object.entries(feeds).map(([name, tensor]) => [LABEL_PREFIX + name, tensor]));
}

function wordFeeds(
  { mask: rows, counts, maxWidth }: NonNullable<RunTask['words']>,
  columns: number,
): Record<string, OnnxTensor> {
  const mask = new Int32Array(rows.length * columns);
  for (const [row, values] of rows.entries()) mask.set(values, row * columns);
  const batch = { mask, counts: Int32Array.from(counts) };
  return Object.fromEntries(
    WORD_INPUT_NAMES.map((name) => [name, wordTensor(WORD_INPUTS[name](batch, maxWidth))]),
  );
}
