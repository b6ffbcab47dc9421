import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../../contract/errors.ts';
import { loadOnnxRuntime, openSession } from '../../../platform/onnx/session.ts';
import { feedsOf } from './feeds.ts';
import type { OpenModel, RawOutput, RunBatch, WorkerReply, WorkerRequest } from './protocol.ts';

// An inference thread: owns one session, runs one batch at a time, answers each in order.
const port = parentPort;
if (!port) throw new Error('engine/worker.ts runs in a worker thread only');

let run: ((batch: RunBatch['batch']) => RawOutput) | undefined;

const reply = (message: WorkerReply, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

port.on('message', (request: WorkerRequest) => {
  if (request.kind === 'open') open(request);
  else answer(request);
});

function open(model: OpenModel): void {
  try {
    const session = openSession(loadOnnxRuntime(model.addon), model);
    run = (batch) => {
      const { data, dims } = session.run(feedsOf(batch, model.inputs), model.output);
      // The addon's memory cannot be transferred to another thread; a copy can.
      return { data: Float32Array.from(data as Float32Array), dims };
    };
    reply({ kind: 'ready' });
  } catch (error) {
    reply({ kind: 'unusable', message: messageOf(error) });
  }
}

function answer({ id, batch }: RunBatch): void {
  try {
    if (!run) throw new Error('no model is open');
    const output = run(batch);
    reply({ kind: 'done', id, output }, [output.data.buffer as ArrayBuffer]);
  } catch (error) {
    reply({ kind: 'failed', id, message: messageOf(error) });
  }
}
