import { loadOnnxRuntime, openSession } from '../../../platform/onnx/session.ts';
import { lowerThreadPriority } from '../../../platform/thread-priority.ts';
import { type Answer, serveWorker } from '../../../platform/worker-server.ts';
import { padToShape } from '../batching/padding.ts';
import { feedsOf } from './feeds.ts';
import type { InferenceRequest, OpenModel, RenderBatch, RunBatch } from './protocol.ts';
import type { View } from './serving.ts';
import type { RawOutput } from '../../../core/model/raw-output.ts';
import type { RowTransform } from './row-transform.ts';

// An inference thread: owns one session and runs one batch at a time.

interface LoadedModel {
  readonly manifest: OpenModel['manifest'];
  readonly layers: OpenModel['layers'];
  readonly run: (batch: RunBatch['batch']) => RawOutput;
  readonly transform: RowTransform | undefined;
}

let model: LoadedModel | undefined;

function loaded(): LoadedModel {
  if (!model) throw new Error('no model is open');
  return model;
}

async function open({
  addon,
  manifest,
  layers,
  background,
  transform,
  ...options
}: OpenModel): Promise<Answer> {
  if (background) lowerThreadPriority();
  const session = openSession(loadOnnxRuntime(addon), options);
  const { inputs, output, tokenizer, fixedShape, firstPosition, entities } = manifest;
  const feedOptions = { firstPosition, maxWidth: entities?.maxWidth };
  // Models without a transform do not load Lua.
  const rows = transform && (await import('./row-transform.ts'));
  model = {
    manifest,
    layers,
    transform: transform && (await rows?.openRowTransform(transform, manifest)),
    run(batch) {
      const padded = padToShape(batch, tokenizer.padId, fixedShape);
      const { data, dims } = session.run(feedsOf(padded, inputs, feedOptions), output);
      return { data: data as Float32Array, dims };
    },
  };
  return { reply: undefined };
}

async function run({ batch }: RunBatch): Promise<Answer> {
  const { run: runBatch, transform } = loaded();
  const { data, dims } = runBatch(batch);
  // Memory of the addon cannot be transferred to another thread, but a copy can.
  const copy = Float32Array.from(data);
  const transformed = await transform?.({ data, dims }, batch.lengths);
  return { reply: { data: copy, dims, transformed }, transfer: [copy.buffer] };
}

async function render({ batch, rows }: RenderBatch): Promise<Answer> {
  // Only servers render results; a cold `infer` does not load this code.
  const { renderRows } = await import('./render.ts');
  const { manifest, layers, run: runBatch, transform } = loaded();
  const output = runBatch(batch);
  const skips = rows.map(({ view }) => skipOf(view));
  const transformed = await transform?.(output, batch.lengths, skips);
  const reply = renderRows({ output, batch, rows, manifest, layers, transformed });
  return { reply, transfer: [reply.bytes.buffer] };
}

function skipOf(view: View): number | undefined {
  if (view.kind === 'tokens' || view.kind === 'max-sim' || view.kind === 'spans') return undefined;
  return view.kind === 'vector' ? view.skip : view.options.skip;
}

serveWorker({ open, run, render } satisfies Record<InferenceRequest['kind'], unknown>);
