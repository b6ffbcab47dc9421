import SwaggerParser from '@apidevtools/swagger-parser';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { appAround, openApp, type OpenApp } from './open-app.ts';
import { answeringEngine } from './answering-engine.ts';

interface Operation {
  readonly operationId: string;
  readonly requestBody?: { content: { 'application/json': Content } };
  readonly responses: Record<string, { content: Record<string, Content> }>;
  readonly security?: unknown[];
}
interface Content {
  readonly schema: unknown;
  readonly examples: Record<string, { value: unknown }>;
}
interface Document {
  readonly openapi: string;
  readonly info: Record<string, string>;
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: Record<string, object>;
  readonly security?: unknown[];
}

async function documentOf({ app }: OpenApp): Promise<Document> {
  const response = await app.request('/openapi.json', { headers: { Authorization: 'Bearer key' } });
  expect(response.headers.get('Content-Type')).toBe('application/json');
  return (await response.json()) as Document;
}

const COMMON = [
  'GET /',
  'GET /health',
  'GET /healthz',
  'GET /info',
  'GET /metrics',
  'GET /model',
  'GET /openapi.json',
  'GET /readyz',
  'GET /v1/models',
  'GET /v1/models/{id}',
  'POST /',
  'POST /decode',
  'POST /predict',
  'POST /tokenize',
];
const EXTRA = {
  sentiment: [],
  ner: [],
  embedder: ['POST /v1/embeddings', 'POST /v2/embed', 'POST /embed', 'POST /embed_all', 'POST /similarity'],
  sentence: ['POST /v1/embeddings', 'POST /v2/embed', 'POST /embed', 'POST /similarity'],
  reranker: ['POST /rerank', 'POST /v1/rerank', 'POST /v2/rerank'],
};

describe.each(Object.entries(EXTRA))('the %s document', (model, extra) => {
  let open: OpenApp | undefined;
  let document: Document;
  beforeAll(async () => {
    open = model === 'reranker' ? appAround(answeringEngine({}, () => ({}))) : await openApp(model);
    document = await documentOf(open);
  });
  afterAll(() => open?.close());
  const operations = (): [string, Operation][] =>
    Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]): [string, Operation] => [
        `${method.toUpperCase()} ${path}`,
        operation,
      ]),
    );

  test('is valid OpenAPI 3.0, and every reference can be resolved', async () => {
    expect(document.openapi).toBe('3.0.3');
    const api = await SwaggerParser.validate(structuredClone(document) as never, {
      dereference: { circular: false },
    });
    expect(Object.keys(api.paths ?? {})).toEqual(Object.keys(document.paths));
    const text = JSON.stringify(document);
    // Features of OpenAPI 3.1 only, and our own keywords.
    expect(text).not.toMatch(/"(const|prefixItems|patternProperties|\$id|\$schema|x-[a-z-]+)":/);
    expect(text).not.toMatch(/"type":\[/);
  });

  test('lists exactly the routes of this model', async () => {
    const listed = operations().map(([name]) => name);
    expect(listed.toSorted()).toEqual([...COMMON, ...extra].toSorted());
    for (const name of listed) {
      const [method = '', path = ''] = name.split(' ');
      const response = await open?.app.request(path, { method });
      // There is no model named "{id}".
      const missing = path.includes('{') ? [405] : [404, 405];
      expect(missing, name).not.toContain(response?.status);
    }
  });

  test('every operation has a unique ID and documents the error format of its API', () => {
    const ids = operations().map(([, { operationId }]) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    for (const [name, { responses }] of operations()) {
      const isJson = / \/(v1|v2|embed|embed_all|similarity|info)\b/.test(name);
      for (const [status, { content }] of Object.entries(responses)) {
        if (status === '200') continue;
        expect(Object.keys(content), `${name} ${status}`).toEqual([
          isJson ? 'application/json' : 'text/plain',
        ]);
      }
      if (!name.startsWith('POST')) continue;
      expect(Object.keys(responses)).toEqual(['200', '400', '413', '415', '422', '429', '500', '503']);
    }
  });

  test('has only valid request examples', async () => {
    let tried = 0;
    for (const [name, { requestBody }] of operations()) {
      if (!requestBody || model === 'reranker') continue;
      for (const { value } of Object.values(requestBody.content['application/json'].examples)) {
        const response = await open?.post(name.replace('POST ', ''), value);
        expect(response?.status, `${name} ${JSON.stringify(value)}`).toBe(200);
        tried += 1;
      }
    }
    expect(tried).toBe(model === 'reranker' ? 0 : 5 + (extra.length > 0 ? 3 + extra.length : 0));
  });
});

test('a server with API keys documents which routes require a key', async () => {
  const open = appAround(
    answeringEngine({}, () => ({})),
    { apiKeys: ['key'] },
  );
  const { paths, components, security } = await documentOf(open);
  expect(components).toMatchObject({ securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } });
  expect(security).toEqual([{ apiKey: [] }]);
  expect(paths['/predict']?.['post']?.responses).toHaveProperty('401');
  for (const path of ['/health', '/healthz', '/readyz']) {
    expect(paths[path]?.['get']?.security).toEqual([]);
    expect(paths[path]?.['get']?.responses).not.toHaveProperty('401');
  }
});
