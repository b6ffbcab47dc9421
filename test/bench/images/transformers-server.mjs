// The contestant: a transformers.js pipeline behind hono, a typical way to serve it.   <models folder> <model> <port>
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The name is in a variable, because the package is installed in the parent folder only when the benchmark runs.
const TRANSFORMERS = '@huggingface/transformers';
const { env, pipeline } = await import(TRANSFORMERS);
const [models, model, port] = process.argv.slice(2);

env.localModelPath = models;
env.allowRemoteModels = false;
const classify = await pipeline('image-classification', model, { dtype: 'fp32' });

const app = new Hono();
app.post('/', async (c) => {
  const isJson = c.req.header('content-type') === 'application/json';
  const file = isJson ? Buffer.from((await c.req.json()).inputs, 'base64') : await c.req.arrayBuffer();
  return c.json(await classify(new Blob([file]), { top_k: 5 }));
});
serve({ fetch: app.fetch, port: Number(port), hostname: '127.0.0.1' });
