import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { plugin, post, served, WARN } from './served.ts';

const folder = useTempFolder();
const RESPONSE = { flows: ['response'] };

test("a content plugin's changes to a response reach the client", async () => {
  const { url } = await served({ content: [plugin('change-response', RESPONSE)] });
  const answer = await post(`${url}/echo`, { a: 'b' });
  expect(answer.status).toBe(201);
  const text = await answer.text();
  expect(text).toContain('{\\"A\\":\\"B\\"}');
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'x-changed': 'yes',
    'x-handler': 'echo',
    'content-type': 'application/json',
    'content-length': String(text.length),
  });
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

test('a content plugin that accepts a response leaves it unchanged', async () => {
  const { url } = await served({ content: [plugin('allow', RESPONSE)] });
  const answer = await post(`${url}/echo`, { a: 1 });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ body: '{"a":1}' });
  expect(answer.headers.getSetCookie()).toEqual(['a=1', 'b=2']);
});

test('plugins also see error responses', async () => {
  const file = join(folder(), 'record');
  const { url } = await served({
    audit: [plugin('record', { ...RESPONSE, config: { file, label: 'seen' } })],
  });
  expect((await fetch(`${url}/missing`)).status).toBe(404);
  expect(readFileSync(file, 'utf8')).toMatch(/^seen response 404 \{.*There is no such thing\./);
});

test('a rejected response is replaced completely', async () => {
  const { url } = await served({ validation: [plugin('deny', RESPONSE)] });
  const answer = await post(`${url}/echo`);
  expect(answer.status).toBe(403);
  expect(await answer.text()).toBe('{"error":"not today"}');
  expect(answer.headers.getSetCookie()).toEqual([]);
  expect(answer.headers.has('X-Handler')).toBe(false);
  expect(answer.headers.get('X-Request-Id')).toMatch(/./);
});

test('a stream is not buffered, and plugins receive it without a body and can change its headers or reject it', async () => {
  const file = join(folder(), 'record');
  const more = Promise.withResolvers<void>();
  const addRoutes: Parameters<typeof served>[2] = (app) =>
    app.get('/stream', () => {
      const events = async function* events(): AsyncGenerator<Uint8Array> {
        yield Buffer.from('data: first\n\n');
        await more.promise;
        yield Buffer.from('data: last\n\n');
      };
      return new Response(ReadableStream.from(events()), {
        headers: { 'Content-Type': 'text/event-stream' },
      });
    });
  const changed = await served(
    {
      content: [plugin('change-response', RESPONSE)],
      audit: [plugin('record', { ...RESPONSE, config: { file, label: 'seen' } })],
    },
    {},
    addRoutes,
  );
  const answer = await fetch(`${changed.url}/stream`);
  expect(answer.headers.get('X-Changed')).toBe('yes');
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of answer.body ?? []) {
    text += decoder.decode(chunk as Uint8Array);
    if (text === 'data: first\n\n') more.resolve();
  }
  expect(text).toBe('data: first\n\ndata: last\n\n');
  expect(readFileSync(file, 'utf8')).toBe('seen response 201\n');

  const refused = await served({ validation: [plugin('deny', RESPONSE)] }, {}, addRoutes);
  expect(await (await fetch(`${refused.url}/stream`)).text()).toBe('{"error":"not today"}');
});

test('a response that is too large for plugins bypasses optional plugins, and fails if a plugin is required', async () => {
  const large = 'x'.repeat(8_000_000);
  const addRoutes: Parameters<typeof served>[2] = (app) => app.get('/large', (c) => c.text(large));
  const optional = await served({ content: [plugin('change-response', RESPONSE)] }, {}, addRoutes);
  const passed = await fetch(`${optional.url}/large`);
  expect(passed.status).toBe(200);
  expect(await passed.text()).toBe(large);
  expect(optional.logged.filter(({ level }) => level === WARN)).toMatchObject([
    { msg: 'response too large for plugins' },
  ]);

  const required = await served({ audit: [plugin('allow', { ...RESPONSE, required: true })] }, {}, addRoutes);
  const failed = await fetch(`${required.url}/large`);
  expect(failed.status).toBe(500);
  expect(failed.headers.get('Mcpd-Error-Type')).toBe('response-pipeline-failure');
});
