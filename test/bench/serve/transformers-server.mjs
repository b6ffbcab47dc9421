// The contestant: a transformers.js pipeline behind hono, a typical way to serve it.   <models folder> <model>      prints its port
import { serve } from '@hono/node-server';
import { Hono } from 'hono';

// The name is in a variable, because the package is installed next to this file only when the benchmark runs.
const TRANSFORMERS = '@huggingface/transformers';
const { env, pipeline } = await import(TRANSFORMERS);
const [models, model] = process.argv.slice(2);

env.localModelPath = models;
env.allowRemoteModels = false;
const extract = await pipeline('feature-extraction', model, { dtype: 'fp32' });

const app = new Hono();
app.post('/v1/embeddings', async (c) => {
  const { input } = await c.req.json();
  const vectors = (await extract(input, { pooling: 'mean', normalize: true })).tolist();
  return c.json({ data: vectors.map((embedding, index) => ({ index, embedding })) });
});
serve({ fetch: app.fetch, port: 0, hostname: '127.0.0.1' }, ({ port }) => console.log(port));
