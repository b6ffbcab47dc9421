// A reference for simple servers of this kind, built from our own parts: one session, one lock, one run per request, every text padded to
// the longest in its request.   <model>                      prints its port
import { availableParallelism } from 'node:os';
import { serve } from '@hono/node-server';
import { Hono } from 'hono';
import { padBatch } from '../../../runtime/targets/encoder/engine/batch.ts';
import { normalizeL2 } from '../../../runtime/targets/encoder/math/inference.ts';
import { meanOfRows } from '../../../runtime/core/vectors/pooling.ts';
import { loadNativeLibraries } from '../../../runtime/platform/native/libraries.ts';
import { openTokenizer } from '../../../runtime/platform/tokenizer.ts';
import { startInferenceThread } from '../../../runtime/targets/encoder/engine/inference-thread.ts';
import { rowOf } from '../../../runtime/core/model/raw-output.ts';
import { openGraph } from './open-graph.ts';

const native = await loadNativeLibraries();
const { manifest, body, ...model } = openGraph(process.argv[2] ?? '');
const tokenizer = openTokenizer(native.tokenizers, model.tokenizer.json, manifest.tokenizer);
const thread = startInferenceThread();
await thread.open({
  addon: native.onnxruntime,
  body,
  threads: availableParallelism(),
  prepack: true,
  priority: 'normal',
  manifest,
});

let lock: Promise<unknown> = Promise.resolve();

const app = new Hono();
app.post('/v1/embeddings', async (c) => {
  const { input } = await c.req.json<{ input: string[] }>();
  const texts = await tokenizer.encode(
    input.map((text) => ({ text })),
    { details: false },
  );
  const run = lock.then(() => thread.run(padBatch(texts, manifest.tokenizer.padId)));
  lock = run;
  const output = await run;
  const data = texts.map(({ ids }, index) => {
    const mean = meanOfRows(rowOf(output, index, ids.length), ids.length, manifest.width);
    return { index, embedding: [...normalizeL2(mean)] };
  });
  return c.json({ data });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
