// A session and nothing else: no tokenizer, no server, no other thread. Reads token ids (JSON, an array a line), prints the
// milliseconds of each run, one text at a time. Between two runs lies a pause, as between the requests of one client: a
// processor that was idle takes longer to run the same thing.
//   <model>
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { setTimeout } from 'node:timers/promises';
import { padBatch } from '../../../runtime/targets/encoder/batching/padding.ts';
import { loadNativeLibraries } from '../../../runtime/platform/native/libraries.ts';
import { loadOnnxRuntime, openOnnxSession } from '../../../runtime/platform/onnx/session.ts';
import { feedsOf } from '../../../runtime/targets/encoder/engine/feeds.ts';
import { openModel } from '../../../runtime/targets/encoder/model.ts';

const PAUSE = 1;

const native = await loadNativeLibraries();
const { manifest, graph, weightsFolder } = openModel(process.argv[2] ?? '');
const session = openOnnxSession(loadOnnxRuntime(native.onnxruntime), {
  graph,
  weightsFolder,
  threads: availableParallelism(),
  prepack: true,
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
