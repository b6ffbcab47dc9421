// A session and nothing else: no tokenizer, no server, no other thread. Reads token ids (JSON, an array a line), prints the
// milliseconds of each run, one text at a time.
//   <model>
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import { padBatch } from '../../../runtime/core/padding.ts';
import { loadNativeLibraries } from '../../../runtime/platform/native/libraries.ts';
import { loadOnnxRuntime, openSession } from '../../../runtime/platform/onnx/session.ts';
import { feedsOf } from '../../../runtime/targets/encoder/engine/feeds.ts';
import { openModel } from '../../../runtime/targets/encoder/model.ts';

const native = await loadNativeLibraries();
const { manifest, graph, weightsFolder } = openModel(process.argv[2] ?? '');
const session = openSession(loadOnnxRuntime(native.onnxruntime), {
  graph,
  weightsFolder,
  threads: availableParallelism(),
  prepack: true,
});
console.log('ready');
for await (const line of createInterface({ input: process.stdin })) {
  const times = (JSON.parse(line) as number[][]).map((ids) => {
    const feeds = feedsOf(padBatch([{ ids: Int32Array.from(ids) }], 0), manifest.inputs);
    const started = performance.now();
    session.run(feeds, manifest.output);
    return performance.now() - started;
  });
  console.log(JSON.stringify(times));
}
