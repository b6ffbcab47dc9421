import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ObjectKind } from '#gateway/accounts/objects/objects.ts';
import { openProvider } from '#gateway/providers/adapters/open-provider.ts';
import { systemClock } from '#platform/clock.ts';
import { openGateway, type OpenGateway } from './open-gateway.ts';
import {
  BODIES,
  FOREIGN,
  FORMS,
  NAMED,
  OWN,
  requestOf,
  routeOf,
  SAID,
  SHAPES,
} from './reference-requests.ts';

// A provider that counts requests. Requests that are rejected here must not reach it.
const { file } = FOREIGN;
let received: string[] = [];
const server = createServer((request, response) => {
  received.push(`${request.method} ${request.url}`);
  request.resume();
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end('{"id":"file-of-eve-000000000000","object":"file"}');
});
let gateway: OpenGateway;
let eve: Record<string, string>;

beforeAll(async () => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const parts = { clock: systemClock, random: () => 0.5, onLine: () => undefined };
  const base = { apiKey: 'sk-0123456789', headers: {}, local: true } as const;
  const providers = [
    { ...base, name: 'openai', type: 'openai', baseUrl: `${url}/v1`, listedAs: 'openai' },
    { ...base, name: 'anthropic', type: 'anthropic', baseUrl: url },
    { ...base, name: 'gemini', type: 'gemini', baseUrl: url },
  ] as const;
  gateway = await openGateway({
    providers: providers.map((one) =>
      openProvider({ ...one, ...(one.type === 'openai' && { dialect: { hasResponses: true } }) }, parts),
    ),
  });
  const key = async (user: string): Promise<string> =>
    (await gateway.ask('POST', '/v1/keys', { user_id: user })).body.key;
  await key('ann');
  eve = { 'X-Gateway-Key': `Bearer ${await key('eve')}` };
  const add = async (kind: ObjectKind, id: string, userId: string): Promise<void> => {
    const { identity, objects } = gateway.context.state;
    const { space = null } = (await identity.spender({ kind: 'master' }, userId)).data.owner ?? {};
    const of = {
      provider: 'openai',
      providerKey: null,
      userId,
      space,
      keyId: null,
      model: null,
      createdAt: 1,
    };
    await objects.add({ ...of, kind, id, content: {}, plan: undefined, held: undefined });
  };
  for (const [kind, id] of Object.entries(FOREIGN) as [ObjectKind, string][]) await add(kind, id, 'ann');
  await add('file', OWN, 'eve');
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});

/** Routes that reference an object in their path, that call no model provider, or that send it only stored texts. */
const OTHERS = new Set([
  '/v1/responses/{id}/cancel',
  '/v1/batches/{id}/cancel',
  '/v1/alerts/test',
  '/api/v1/datasets/from-requests',
]);

async function routes(): Promise<readonly string[]> {
  const { body } = await gateway.ask('GET', '/openapi.json');
  return Object.entries(body.paths as Record<string, { post?: { responses: object; tags: string[] } }>)
    .filter(
      ([path, { post }]) => post && ('502' in post.responses || /count_?tokens|input_tokens/i.test(path)),
    )
    .map(([path]) => path)
    .filter((path) => !OTHERS.has(path));
}

/**
 * Sends each shape at the top level and nested. Returns the requests that were not rejected with 404; some
 * have a form that the route's schema rejects first.
 */
async function passed(
  send: (shape: string, isInside: boolean) => Promise<{ readonly status: number; readonly text: string }>,
  shapes = SHAPES,
): Promise<readonly string[]> {
  const found: string[] = [];
  let malformed = 0;
  for (const shape of shapes)
    for (const isInside of [false, true]) {
      const { status, text } = await send(shape, isInside);
      if (status === 422) malformed += 1;
      else if (status !== 404 || !text.includes('_not_found'))
        found.push(`${status} ${shape} ${text.slice(0, 100)}`);
    }
  return malformed > MAX_MALFORMED ? [...found, `${malformed} with status 422`] : found;
}
const MAX_MALFORMED = 8;

test('this test covers all routes that call a provider', async () => {
  const known = new Set([...Object.keys(BODIES), ...Object.keys(FORMS)]);
  expect((await routes()).filter((path) => !known.has(routeOf(path)))).toEqual([]);
});

test(
  "requests that reference another user's objects do not reach a provider",
  { timeout: 60_000 },
  async () => {
    received = [];
    for (const path of (await routes()).filter((one) => BODIES[routeOf(one)])) {
      const all = await passed(
        async (shape, isInside) => {
          const [address = '', body = ''] = requestOf(path, shape, isInside) ?? [];
          return await gateway.ask('POST', address, body, eve);
        },
        path === '/v1/chat/completions' ? [...SHAPES, ...NAMED] : SHAPES,
      );
      expect([path, ...all]).toEqual([path]);
    }
    expect(received).toEqual([]);
  },
);

test(
  "batch lines that reference another user's objects do not reach a provider",
  { timeout: 60_000 },
  async () => {
    received = [];
    for (const url of [
      '/v1/chat/completions',
      '/v1/responses',
      '/v1/embeddings',
      '/v1/completions',
      '/v1/moderations',
    ]) {
      const all = await passed(async (shape, isInside) => {
        const [, body = ''] = requestOf(url, shape, isInside) ?? [];
        const lines = [requestOf(url, '"x":1', false)?.[1] ?? '', body].map(
          (one, nth) => `{"custom_id":"${nth}","method":"POST","url":"${url}","body":${one}}`,
        );
        const form = new FormData();
        form.set('purpose', 'batch');
        form.set('file', new File([lines.join('\n')], 'requests.jsonl'));
        return await gateway.request('/v1/files', { method: 'POST', headers: eve, body: form });
      });
      expect([url, ...all]).toEqual([url]);
    }
    expect(received).toEqual([]);
  },
);

test("forms that reference another user's objects do not reach a provider", async () => {
  received = [];
  for (const [path, fields] of Object.entries(FORMS))
    for (const name of [
      'file_id',
      'file_ids[]',
      'image[0][file_id]',
      'container',
      'previous_response_id',
      'x_id',
    ]) {
      const form = new FormData();
      for (const [field, value] of Object.entries({ ...fields, [name]: file })) form.append(field, value);
      if (name.endsWith('[]')) form.append(name, OWN);
      form.set('file', new File(['RIFF'], 'a.wav'));
      const { status } = await gateway.request(path, { method: 'POST', headers: eve, body: form });
      expect([path, name, status]).toEqual([path, name, 404]);
    }
  expect(received).toEqual([]);
});

test('duplicate member names in nested objects are rejected, because the provider and the gateway could read different duplicates', async () => {
  received = [];
  // These are rebuilt from the parsed body.
  const rewritten = new Set(['/v1/batches', '/v1beta/models/{model}:countTokens']);
  for (const path of (await routes()).filter((one) => BODIES[routeOf(one)] && !rewritten.has(one)))
    for (const shape of [
      `"x":{"file_id":"${OWN}","file_id":"${file}"}`,
      String.raw`"x":[{"file_id":"${OWN}","file\u005fid":"${file}"}]`,
      `"x":{"a":{"b":1,"c":2,"b":3}}`,
      `"x":{"":1,"":2}`,
    ]) {
      const [address = '', body = ''] = requestOf(path, shape, true) ?? [];
      const { status, text } = await gateway.ask('POST', address, body, eve);
      expect([path, shape, [404, 422].includes(status), text]).toEqual([
        path,
        shape,
        true,
        expect.any(String),
      ]);
    }
  const body = `{"model":"openai:m","messages":[{${SAID},"x":{"y":1,"y":2}}]}`;
  const { body: refused } = await gateway.ask('POST', '/v1/chat/completions', body, eve);
  expect(refused.detail).toBe(
    'The body has "y" twice, and the provider might use a different one than the gateway. Send only one.',
  );
  expect(received).toEqual([]);
});

test("references to the user's own objects and to unknown objects reach the provider", async () => {
  received = [];
  for (const id of [OWN, 'file-of-the-operator', 'call_of_ann', 'x'.repeat(3000)]) {
    const [, body = ''] = requestOf('/v1/responses', `"file_id":"${id}","call_id":"${file}"`, true) ?? [];
    await gateway.ask('POST', '/v1/responses', body, eve);
  }
  expect(received).toHaveLength(4);
});

test("lists return the same error for another user's ID as for an unknown ID", async () => {
  const { body } = await gateway.ask('GET', '/openapi.json');
  type Described = { readonly get?: { readonly parameters?: readonly { readonly name: string }[] } };
  const lists = Object.entries(body.paths as Record<string, Described>).filter(([, { get }]) =>
    get?.parameters?.some(({ name }) => name === 'after' || name === 'before'),
  );
  expect(lists.map(([path]) => path)).toEqual(['/v1/files', '/v1/batches']);
  for (const [path] of lists)
    for (const [foreign, unknown] of [
      [FOREIGN.file, 'file-999'],
      [FOREIGN.batch, 'batch_999'],
    ] as const) {
      const of = async (id: string) => {
        const { status, text } = await gateway.ask('GET', `${path}?after=${id}`, undefined, eve);
        return [status, text.replaceAll(id, 'ID')];
      };
      expect(await of(foreign)).toEqual(await of(unknown));
    }
});
