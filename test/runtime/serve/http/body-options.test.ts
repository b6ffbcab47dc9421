import { Type } from 'typebox';
import { expect, test } from 'vitest';
import type { ErrorDetail } from '#contract/errors.ts';
import { type BodyOptions, createBodyReader } from '#serve/http/body.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const SCHEMA = Type.Object(
  {
    count: Type.Optional(Type.Integer({ minimum: 1 })),
    tags: Type.Optional(Type.Array(Type.String(), { title: 'a list of texts' })),
    link: Type.Optional(Type.String({ format: 'uri' })),
    deep: Type.Optional(Type.Unsafe({})),
  },
  { additionalProperties: false },
);

interface Answer {
  readonly status: number;
  readonly body: { readonly message?: string; readonly details?: readonly ErrorDetail[] };
}

async function send(options: Partial<BodyOptions>, init: RequestInit): Promise<Answer> {
  const app = httpShell(testKernel(), {
    errorFormats: [{ prefix: '', body: ({ message, details }) => ({ message, details }) }],
  });
  const readBody = createBodyReader({ maxBodyBytes: 1000, ...options });
  app.post('/', async (c) => c.json((await readBody(c, SCHEMA)) as object));
  const headers = { 'Content-Type': 'application/json' };
  const response = await app.request('/', { method: 'POST', headers, ...init });
  return { status: response.status, body: (await response.json()) as Answer['body'] };
}

test('each problem is reported with its location, rule and value', async () => {
  const wrong = { count: 0, tags: ['a', 7, { long: true }], other: null, link: 'no link' };
  expect((await send({}, { body: JSON.stringify(wrong) })).body).toEqual({
    message:
      'unknown key "other" (known keys: count, tags, link, deep); count must be at least 1, not 0; ' +
      'tags/1 must be text, not 7; tags/2 must be text, not an object',
    details: [
      {
        message: 'unknown key "other" (known keys: count, tags, link, deep)',
        location: 'body.other',
        rule: 'additionalProperties',
        value: null,
      },
      { message: 'count must be at least 1, not 0', location: 'body.count', rule: 'minimum', value: 0 },
      { message: 'tags/1 must be text, not 7', location: 'body.tags.1', rule: 'type', value: 7 },
      { message: 'tags/2 must be text, not an object', location: 'body.tags.2', rule: 'type' },
    ],
  });
});

test('long values are not included in the response', async () => {
  const { body } = await send({}, { body: JSON.stringify({ count: 'x'.repeat(101) }) });
  expect(body.details).toEqual([{ message: expect.any(String), location: 'body.count', rule: 'type' }]);
});

test('JSON that is nested too deeply is reported with its location', async () => {
  const message = 'The body exceeds the maximum nesting depth of 2 lists and objects.';
  expect(await send({ maxDepth: 2 }, { body: '[[[]]]' })).toEqual({
    status: 422,
    body: { message, details: [{ location: 'body', message }] },
  });
});

test('malformed JSON is reported with its location', async () => {
  const message = 'The body is not valid JSON: unexpected end of input.';
  expect(await send({}, { body: '{"a":' })).toEqual({
    status: 400,
    body: { message, details: [{ location: 'body', message }] },
  });
});

test('messages for empty and large bodies can be customized', async () => {
  const options = { emptyMessage: 'nothing', tooLargeMessage: (limit: number) => `more than ${limit}` };
  expect(await send(options, { body: '' })).toMatchObject({ status: 400, body: { message: 'nothing' } });
  expect(await send(options, { body: new Blob([]), headers: {} })).toMatchObject({
    status: 400,
    body: { message: 'nothing' },
  });
  expect(await send(options, { body: new Blob(['{}']), headers: {} })).toMatchObject({ status: 415 });
  const large = JSON.stringify({ tags: ['x'.repeat(1000)] });
  expect(await send(options, { body: large })).toMatchObject({
    status: 413,
    body: { message: 'more than 1000' },
  });
});

test('a body that never ends times out', async () => {
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(Buffer.from('{')),
  });
  const init = { body, duplex: 'half' } as RequestInit;
  expect(await send({ timeoutMs: 20 }, init)).toMatchObject({
    status: 408,
    body: { message: 'request body read timeout' },
  });
});

test('the parser and the maximum depth can be customized', async () => {
  const parse = (): unknown => ({ count: 3 });
  expect((await send({ parse }, { body: '{}' })).body).toEqual({ count: 3 });
  const deep = `{"deep":${'['.repeat(100)}${']'.repeat(100)}}`;
  expect((await send({}, { body: deep })).status).toBe(422);
  expect((await send({ maxDepth: 101 }, { body: deep })).status).toBe(200);
});
