import { afterAll, beforeAll, expect, test } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { type StatelessRequest, sendStateless } from './stateless-request.ts';
import { eventsOf } from './events.ts';
import { type Managed, openManager } from './managed.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('modern', 'modern-only')],
  });
  await Promise.all([managed.running('echo'), managed.running('modern')]);
});
afterAll(() => managed.close());

const ROOTS = { roots: [{ uri: 'file:///home/ada', name: 'ada' }] };
const able = (capabilities: object): Record<string, unknown> => ({
  'io.modelcontextprotocol/clientCapabilities': capabilities,
});
const ALL = able({ roots: {}, sampling: {}, elicitation: {} });

interface Answer {
  readonly result: {
    readonly resultType: string;
    readonly inputRequests: Record<string, { readonly method: string; readonly params?: unknown }>;
    readonly requestState: string;
    readonly content: readonly { readonly text: string }[];
  };
  readonly error: { readonly code: number; readonly message: string; readonly data?: unknown };
}

const answerTo = async (params: Record<string, unknown>, asked: StatelessRequest = {}): Promise<Answer> => {
  const answer = await sendStateless(managed.origin, 'tools/call', { meta: ALL, ...asked, params });
  return (await answer.json()) as Answer;
};
const ASK_ROOTS = { name: 'echo__ask', arguments: { method: 'roots/list' } };
const ASK_TWO = { name: 'echo__ask-all', arguments: { methods: ['roots/list', 'elicitation/create'] } };

const keysOf = ({ result }: Answer): Record<string, string> =>
  Object.fromEntries(Object.entries(result.inputRequests).map(([key, { method }]) => [method, key]));
const retry = (params: object, { result }: Answer, inputResponses: object): Record<string, unknown> => ({
  ...params,
  inputResponses,
  requestState: result.requestState,
});
const textOf = ({ result }: Answer): unknown => JSON.parse(result.content[0]?.text ?? '') as unknown;

test("a server's request is returned as the response, and the call continues when the client retries", async () => {
  const asked = await answerTo({
    name: 'echo__ask',
    arguments: { method: 'elicitation/create', params: { message: 'Your name?' } },
  });
  expect(asked.result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      'request-1': { method: 'elicitation/create', params: { message: 'Your name?' } },
    },
    requestState: expect.any(String) as string,
    _meta: { 'io.modelcontextprotocol/serverInfo': expect.anything() as object },
  });
  const answer = { action: 'accept', content: { name: 'Ada' } };
  const done = await answerTo(
    retry(
      { name: 'echo__ask', arguments: { params: { message: 'Your name?' }, method: 'elicitation/create' } },
      asked,
      { 'request-1': answer },
    ),
  );
  expect(done.result.resultType).toBe('complete');
  expect(textOf(done)).toMatchObject({ result: answer });
});

test('several requests are returned together, and requests that the client did not answer are repeated', async () => {
  const asked = await answerTo(ASK_TWO);
  const keys = keysOf(asked);
  expect(Object.keys(keys)).toEqual(['roots/list', 'elicitation/create']);
  const again = await answerTo(
    retry(ASK_TWO, asked, { [keys['roots/list'] ?? '']: ROOTS, stranger: { action: 'accept' } }),
  );
  expect(keysOf(again)).toEqual({ 'elicitation/create': keys['elicitation/create'] });
  expect(again.result.requestState).not.toBe(asked.result.requestState);
  const done = await answerTo(
    retry(ASK_TWO, again, { [keys['elicitation/create'] ?? '']: { action: 'decline' } }),
  );
  expect(textOf(done)).toMatchObject([{ result: ROOTS }, { result: { action: 'decline' } }]);
});

test("progress is reported on the current request, under that request's token", async () => {
  const events = async (params: Record<string, unknown>, progressToken: string): Promise<object[]> => {
    const meta = { ...ALL, progressToken };
    const answer = await sendStateless(managed.origin, 'tools/call', { params, meta });
    return Array.fromAsync(eventsOf(answer));
  };
  const params = { name: 'echo__ask-all', arguments: { methods: ['roots/list'] } };
  const [before, asked] = await events(params, 'one');
  expect(before).toMatchObject({ params: { progressToken: 'one', progress: 1 } });
  const [after, done] = await events(retry(params, asked as Answer, { 'request-1': ROOTS }), 'two');
  expect(after).toMatchObject({ params: { progressToken: 'two', progress: 2 } });
  expect(done).toMatchObject({ result: { resultType: 'complete' } });
});

test('input requests from a server of the same revision are passed on', async () => {
  const params = { name: 'ask-user', arguments: {} };
  const asked = await answerTo(params, { path: '/mcp/modern' });
  expect(asked.result.inputRequests).toMatchObject({
    'request-1': { method: 'elicitation/create', params: { mode: 'form', message: 'Your name?' } },
  });
  const answer = { action: 'accept', content: { name: 'Ada' } };
  const done = await answerTo(retry(params, asked, { 'request-1': answer }), { path: '/mcp/modern' });
  expect(textOf(done)).toEqual({ name: answer });
});

test('a client without the required capabilities gets status 400 with a list of the missing capabilities', async () => {
  const answer = await sendStateless(managed.origin, 'tools/call', {
    path: '/mcp/modern',
    params: { name: 'ask-user', arguments: {} },
    meta: able({ roots: {} }),
  });
  expect(answer.status).toBe(400);
  expect(await answer.json()).toMatchObject({
    error: { code: -32_021, data: { requiredCapabilities: { elicitation: {} } } },
  });
});

test.each<[string, Record<string, unknown>, StatelessRequest]>([
  ['with other arguments', { ...ASK_TWO }, {}],
  ['on another path', { name: 'ask', arguments: ASK_ROOTS.arguments }, { path: '/mcp/echo' }],
  ['with an unknown state', { ...ASK_ROOTS, requestState: 'made up' }, {}],
  ['for a client without the capability', ASK_TWO, { meta: able({}) }],
])('a call cannot be continued %s, but a correct request still continues it', async (_how, params, where) => {
  const asked = await answerTo(ASK_ROOTS);
  const wrong = await answerTo({ ...retry(params, asked, { 'request-1': ROOTS }), ...params }, where);
  expect(wrong.error).toMatchObject({
    code: -32_602,
    message: expect.stringContaining('without `requestState`') as string,
  });
  const done = await answerTo(retry(ASK_ROOTS, asked, { 'request-1': ROOTS }));
  expect(textOf(done)).toMatchObject({ result: ROOTS });
});

test('a call can be continued only once', async () => {
  const asked = await answerTo(ASK_ROOTS);
  const again = retry(ASK_ROOTS, asked, { 'request-1': ROOTS });
  expect((await answerTo(again)).result.resultType).toBe('complete');
  expect((await answerTo(again)).error.code).toBe(-32_602);
});

test('a call can be continued only with the key that started it', async () => {
  const other = await openManager({
    servers: [serverSpec('echo', 'echo')],
    keys: [keyOf('ada'), keyOf('bob')],
  });
  const send = async (key: string, params: Record<string, unknown>): Promise<Answer> => {
    const headers = { authorization: bearer(key) };
    const answer = await sendStateless(other.origin, 'tools/call', { params, headers, meta: ALL });
    return (await answer.json()) as Answer;
  };
  const asked = await send('ada', ASK_ROOTS);
  const again = retry(ASK_ROOTS, asked, { 'request-1': ROOTS });
  expect((await send('bob', again)).error.code).toBe(-32_602);
  expect(textOf(await send('ada', again))).toMatchObject({ result: ROOTS });
  await other.close();
});

test('an abandoned call is canceled and frees its slot', async () => {
  const hasty = await openManager({
    servers: [serverSpec('echo', 'echo', { concurrency: 1 })],
    inputTimeoutMs: 20,
  });
  const ask = (params: Record<string, unknown>): Promise<Response> =>
    sendStateless(hasty.origin, 'tools/call', { params, meta: ALL });
  const asked = (await (await ask(ASK_ROOTS)).json()) as Answer;
  const next = await ask({ name: 'echo__echo', arguments: { message: 'free' } });
  expect(await next.text()).toContain('free');
  const late = (await (await ask(retry(ASK_ROOTS, asked, { 'request-1': ROOTS }))).json()) as Answer;
  expect(late.error.code).toBe(-32_602);
  await hasty.close();
});

test("each stateless call counts as a separate client, so a stdio server's request is rejected while several calls run", async () => {
  const holding = managed.nextLogLine('echo', /^holding own/);
  const held = answerTo({ name: 'echo__hold', arguments: { key: 'own' } });
  await holding;
  expect(textOf(await answerTo(ASK_ROOTS))).toMatchObject({ error: { code: -32_600 } });
  await answerTo({ name: 'echo__release', arguments: { key: 'own' } });
  await held;
});
