import type { TokenOutputName } from '#contract/embedding-outputs.ts';
import type { Manifest } from '#contract/manifest.ts';
import { tokenOutputsAmong } from '#core/model/output-plan.ts';
import type { BatchOutput, RawOutput } from '#core/model/raw-output.ts';
import { itemAt } from '#core/values/item-at.ts';
import { loadOnnxRuntime, openOnnxSession } from '#platform/onnx/session.ts';
import { lowerThreadPriority } from '#platform/thread-priority.ts';
import { type Answer, serveWorker } from '#platform/worker-requests.ts';
import { feedsOf, padToShape } from './batch.ts';
import type { OpenModel, RenderBatch, RenderRow, RunBatch, ThreadRequest } from './inference-thread.ts';
import type { RowTransform } from './row-transform.ts';
import type { View } from './serving.ts';
import { sharedNow, type SharedSpan } from './steps.ts';

// An inference thread: owns one session and runs one batch at a time.

interface LoadedModel {
  readonly manifest: OpenModel['manifest'];
  readonly layers: OpenModel['layers'];
  readonly run: (batch: RunBatch['batch'], tokenOutputs: readonly TokenOutputName[]) => BatchOutput;
  readonly transform: RowTransform | undefined;
}

let model: LoadedModel | undefined;
let renderRows: typeof import('./render.ts').renderRows | undefined;

function loaded(): LoadedModel {
  if (!model) throw new Error('no model is loaded');
  return model;
}

async function open({
  addon,
  manifest,
  layers,
  background,
  transform,
  timed,
  ...options
}: OpenModel): Promise<Answer> {
  const started = timed && sharedNow();
  if (background) lowerThreadPriority();
  const session = openOnnxSession(loadOnnxRuntime(addon), options);
  const opened: SharedSpan | undefined = started ? [started, sharedNow()] : undefined;
  const { inputs, output, tokenizer, fixedShape, firstPosition, entities } = manifest;
  const feedOptions = { firstPosition, maxWidth: entities?.maxWidth };
  // Models without a transform do not load Lua.
  const rows = transform && (await import('./row-transform.ts'));
  model = {
    manifest,
    layers,
    transform: transform && (await rows?.openRowTransform(transform, manifest)),
    run(batch, wanted) {
      const padded = padToShape(batch, tokenizer.padId, fixedShape);
      const names = [output, ...wanted.map((name) => graphOutput(manifest, name))];
      const results = session
        .runAll(feedsOf(padded, inputs, feedOptions), names)
        .map(({ data, dims }): RawOutput => ({ data: data as Float32Array, dims }));
      const tokenOutputs = wanted.map((name, at) => [name, itemAt(results, at + 1)] as const);
      return {
        ...itemAt(results, 0),
        ...(wanted.length > 0 ? { tokenOutputs: Object.fromEntries(tokenOutputs) } : {}),
      };
    },
  };
  return { reply: opened };
}

async function run({ batch, tokenOutputs: wanted }: RunBatch): Promise<Answer> {
  const { run: runBatch, transform } = loaded();
  const output = runBatch(batch, wanted);
  // Memory that the addon has allocated cannot be transferred to another thread, but a copy can.
  const copied = ({ data, dims }: RawOutput) => ({ data: Float32Array.from(data), dims });
  const copy = copied(output);
  const others = Object.entries(output.tokenOutputs ?? {}).map(([name, one]) => [name, copied(one)] as const);
  const transformed = await transform?.(output, batch.lengths);
  return {
    reply: { ...copy, tokenOutputs: Object.fromEntries(others), transformed },
    transfer: [copy.data.buffer, ...others.map(([, { data }]) => data.buffer)],
  };
}

async function render({ batch, rows }: RenderBatch): Promise<Answer> {
  // Only servers render results, so a cold start of `infer` does not load this code. The imported
  // function is cached, because importing it again would take 0.06 ms in each run (measured).
  renderRows ??= (await import('./render.ts')).renderRows;
  const { manifest, layers, run: runBatch, transform } = loaded();
  const output = runBatch(batch, outputsOf(rows));
  const skips = rows.map(({ view }) => skipOf(view));
  const transformed = await transform?.(output, batch.lengths, skips);
  const reply = renderRows({ output, batch, rows, manifest, layers, transformed });
  return { reply, transfer: [reply.bytes.buffer] };
}

/** The graph output with one row per token. */
function graphOutput({ tokenOutputs }: Manifest, name: TokenOutputName): string {
  if (!tokenOutputs) throw new Error(`the model has no output ${name}`);
  return name === 'sparse' ? tokenOutputs.sparse.output : tokenOutputs.multiVector.output;
}

/** The token outputs that the results of these rows need. */
const outputsOf = (rows: readonly Pick<RenderRow, 'view'>[]): TokenOutputName[] => [
  ...new Set(rows.flatMap(({ view }) => neededBy(view))),
];

function neededBy(view: View): TokenOutputName[] {
  if (view.kind === 'result') return tokenOutputsAmong(view.options.outputs);
  return view.kind === 'hybrid' ? tokenOutputsAmong(view.query.outputs) : [];
}

function skipOf(view: View): number | undefined {
  if (view.kind === 'vector') return view.skip;
  return view.kind === 'result' ? view.options.skip : undefined;
}

serveWorker({ open, run, render } satisfies Record<ThreadRequest['kind'], unknown>);
