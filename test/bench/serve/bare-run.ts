// Runs only a session, without a tokenizer, a server or other threads. Reads token IDs (one JSON array per line), and prints the milliseconds of each
// run, one text at a time. Runs are separated by a pause, as between a client's requests: an idle CPU takes longer to run the same code.
// <model>
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { padBatch, feedsOf } from '../../../runtime/targets/encoder/engine/batch.ts';
import { loadNativeLibraries } from '../../../runtime/platform/native/libraries.ts';
import { loadOnnxRuntime, openOnnxSession } from '../../../runtime/platform/onnx/session.ts';
import { openGraph } from './open-graph.ts';

const PAUSE = 1;

const native = await loadNativeLibraries();
const { manifest, body } = openGraph(process.argv[2] ?? '');
const session = openOnnxSession(loadOnnxRuntime(native.onnxruntime), {
  ...body,
  threads: availableParallelism(),
  prepack: true,
  bfloat16: false,
});
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const times: number[] = [];
  for (const ids of JSON.parse(line) as number[][]) {
    await setTimeout(PAUSE);
    const feeds = feedsOf(padBatch([{ ids: Int32Array.from(ids) }], 0), manifest.inputs);
    const started = performance.now();
    session.run(feeds, manifest.output);
    times.push(performance.now() - started);
  }
  console.log(JSON.stringify(times));
}
