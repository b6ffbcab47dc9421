import { loadOnnxRuntime, openSession } from '../../../platform/onnx/session.ts';
import { lowerThreadPriority } from '../../../platform/thread-priority.ts';
import { type Answer, serveWorker } from '../../../platform/worker-server.ts';
import { feedsOf } from './feeds.ts';
import type { InferenceRequest, OpenModel, RenderBatch, RunBatch } from './protocol.ts';
import type { RawOutput } from './raw-output.ts';

// An inference thread: owns one session, runs one batch at a time.

interface LoadedModel {
  readonly manifest: OpenModel['manifest'];
  readonly run: (batch: RunBatch['batch']) => RawOutput;
}

let model: LoadedModel | undefined;

function loaded(): LoadedModel {
  if (!model) throw new Error('no model is open');
  return model;
}

function open({ addon, manifest, background, ...options }: OpenModel): Answer {
  if (background) lowerThreadPriority();
  const session = openSession(loadOnnxRuntime(addon), options);
  const { inputs, output } = manifest;
  model = {
    manifest,
    run(batch) {
      const { data, dims } = session.run(feedsOf(batch, inputs), output);
      return { data: data as Float32Array, dims };
    },
  };
  return { reply: undefined };
}

function run({ batch }: RunBatch): Answer {
  const { data, dims } = loaded().run(batch);
  // The addon's memory cannot be transferred to another thread; a copy can.
  const copy = Float32Array.from(data);
  return { reply: { data: copy, dims }, transfer: [copy.buffer] };
}

async function render({ batch, rows }: RenderBatch): Promise<Answer> {
  // Only servers render; a cold `infer` does not wait for this code.
  const { renderRows } = await import('./render.ts');
  const { manifest, run: runBatch } = loaded();
  const reply = renderRows(runBatch(batch), batch, rows, manifest);
  return { reply, transfer: [reply.bytes.buffer as ArrayBuffer] };
}

serveWorker({ open, run, render } satisfies Record<InferenceRequest['kind'], unknown>);
