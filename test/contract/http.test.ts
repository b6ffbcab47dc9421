import SwaggerParser from '@apidevtools/swagger-parser';
import { expect } from 'vitest';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

const PLAIN = 'text/plain; charset=utf-8';

verifiesServed('http:health', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  expect(await ask(`${url}/health`)).toMatchObject({
    status: 200,
    type: 'application/json',
    text: '"OK!"',
  });
  expect(await ask(`${url}/healthz`)).toMatchObject({ status: 200, text: 'ok' });
  expect(await ask(`${url}/readyz`)).toMatchObject({ status: 200, text: 'ready' });
});

const NER = '"0":"O","1":"B-PER","2":"I-PER","3":"B-ORG","4":"I-ORG","5":"B-LOC","6":"I-LOC","7":"B-MISC"';
const MODELS = {
  sentiment:
    '"model_type":"sequence_classification","version":"1.0.0","id2label":{"0":"NEGATIVE","1":"POSITIVE"}',
  ner: `"model_type":"token_classification","version":"1.0.0","id2label":{${NER},"8":"I-MISC"}`,
  embedder: '"model_type":"embedding","version":"1.0.0"',
};

verifiesServed('http:model', async (arm) => {
  for (const [model, rest] of Object.entries(MODELS)) {
    const { url } = await serve(arm, model);
    const answer = await ask(`${url}/model`);
    expect(answer).toMatchObject({ status: 200, type: 'application/json' });
    expect(answer.text).toBe(`{"model_id":"${model}",${rest}}`);
  }
});

const EVERY_MODEL = ['/', '/decode', '/health', '/healthz', '/info', '/metrics', '/model', '/openapi.json'];
const MORE = ['/predict', '/readyz', '/tokenize', '/v1/models', '/v1/models/{id}'];

verifiesServed('http:openapi', async (arm) => {
  for (const [model, own] of [
    ['sentiment', []],
    ['ner', []],
    ['embedder', ['/v1/embeddings', '/v2/embed', '/embed', '/embed_all', '/similarity']],
    ['reranker', ['/rerank', '/v1/rerank', '/v2/rerank']],
  ] as const) {
    const { url } = await serve(arm, model);
    const { status, type, text } = await ask(`${url}/openapi.json`);
    expect({ status, type }).toEqual({ status: 200, type: 'application/json' });
    const document = JSON.parse(text) as { openapi: string; paths: Record<string, object> };
    expect(document.openapi).toMatch(/^3\.0\.\d$/);
    expect(Object.keys(document.paths).sort()).toEqual([...EVERY_MODEL, ...MORE, ...own].sort());
    await SwaggerParser.validate(structuredClone(document) as never);
    for (const [path, methods] of Object.entries(document.paths)) {
      const found = await ask(url + path.replace('{id}', model), { method: 'HEAD' });
      // The model page uses the path of the Inference API, and is not in the document.
      expect(found.status, path).toBe('get' in methods || path === '/' ? 200 : 405);
    }
  }
});

verifiesServed('http:page', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  for (const path of ['/', '/docs']) {
    const page = await ask(url + path);
    expect(page).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
    expect(page.headers['content-security-policy']).toMatch(/^default-src 'none'; /);
    const named = [...page.text.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, name]) => name ?? '');
    expect(named.length).toBeGreaterThan(3);
    for (const name of named) {
      const target = new URL(name, `${url}/`);
      expect(target.origin).toBe(url);
      expect((await ask(target.href)).status, name).toBe(200);
    }
  }
});

verifiesServed('http:metrics', async (arm) => {
  const { url } = await serve(arm, 'sentiment', ['--max-client-batch', '2']);
  expect((await post(`${url}/predict`, { inputs: ['I love this', 'this is awful'] })).status).toBe(200);
  expect((await post(`${url}/predict`, { inputs: ['a', 'b', 'c'] })).status).toBe(422);
  expect((await ask(`${url}/nowhere`)).status).toBe(404);
  expect((await post(`${url}/predict`, { inputs: ['word '.repeat(1000)] })).status).toBe(200);
  const { type, text } = await ask(`${url}/metrics`);
  expect(type).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = text.split('\n');
  const count = 'http_request_duration_seconds_count';
  expect(lines).toContain(`${count}{method="POST",route="/predict",status="200"} 2`);
  expect(lines).toContain(`${count}{method="POST",route="/predict",status="422"} 1`);
  expect(lines).toContain(`${count}{method="GET",route="none",status="404"} 1`);
  expect(lines).toContain('encoder_inputs_total 3');
  expect(lines).toContain('encoder_truncated_inputs_total 1');
  expect(lines).toContain('encoder_queued_inputs 0');
  expect(lines).toContain('encoder_worker_deaths_total 0');
  expect(lines).toContain(
    'encoder_model_info{model="sentiment",version="1.0.0",type="sequence_classification"} 1',
  );
  expect(text).toMatch(/^process_resident_memory_bytes \d+$/m);
});

verifiesServed('http:metrics-access', async (arm) => {
  const statusOf = async (...flags: string[]): Promise<number> => {
    const { url } = await serve(arm, 'sentiment', ['--api-key', 'secret', ...flags]);
    return (await fetch(`${url}/metrics`)).status;
  };
  expect(await statusOf()).toBe(401);
  expect(await statusOf('--metrics', 'open')).toBe(200);
});

verifiesServed('http:unknown-path', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  expect(await ask(`${url}/nowhere`)).toMatchObject({
    status: 404,
    type: PLAIN,
    text: 'No such path: GET /nowhere',
  });
  for (const [method, path, allow] of [
    ['DELETE', '/predict', 'POST'],
    ['GET', '/predict', 'POST'],
    ['POST', '/health', 'GET, HEAD'],
    ['PUT', '/model', 'GET, HEAD'],
  ] as const) {
    const answer = await ask(url + path, { method });
    expect(answer).toMatchObject({
      status: 405,
      type: PLAIN,
      text: `Method not allowed: ${method} ${path}. Allowed methods: ${allow}.`,
    });
    expect(answer.headers.allow).toBe(allow);
  }
});

verifiesServed('http:head-and-options', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  for (const path of ['/health', '/model', '/metrics', '/', '/docs', '/openapi.json']) {
    const answer = await ask(url + path, { method: 'HEAD' });
    expect({ status: answer.status, text: answer.text }, path).toEqual({ status: 200, text: '' });
    expect(answer.type).toBe((await ask(url + path)).type);
  }
  expect(await ask(`${url}/predict`, { method: 'OPTIONS' })).toMatchObject({
    status: 405,
    text: 'Method not allowed: OPTIONS /predict. Allowed methods: POST.',
  });
});
