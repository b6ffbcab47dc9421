import { request as httpRequest } from 'node:http';
import { describe, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { openApi } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({ servers: [serverSpec('echo', 'echo')] }));

const TOOL = '/api/v1/servers/echo/tools/number';
const PROMPT = '/api/v1/servers/echo/prompts/greet';
const JSON_TYPE = { 'Content-Type': 'application/json' };

describe('an invalid body is a client error with a reason', () => {
  test.each([undefined, ''])('an empty body (%j) returns 400', async (body) => {
    for (const path of [TOOL, PROMPT]) {
      for (const headers of [{}, JSON_TYPE]) {
        const answer = await api().post(path, body, headers);
        expect([answer.status, answer.body.detail]).toEqual([400, 'request body is required']);
        expect(answer.body).not.toHaveProperty('errors');
      }
    }
  });

  test('malformed JSON returns 400 with the position', async () => {
    const { status, body } = await api().post(TOOL, '{"a":1,\n "b":x}');
    expect(status).toBe(400);
    expect(body).toMatchObject({
      title: 'Bad Request',
      errors: [
        { location: 'body', message: 'The body is not valid JSON: unexpected "x" at line 2, column 6.' },
      ],
    });
    expect(
      (
        await api().request(TOOL, {
          method: 'POST',
          headers: JSON_TYPE,
          body: Buffer.from([0x22, 0xff, 0x22]),
        })
      ).status,
    ).toBe(400);
  });

  test.each(['text/plain', 'application/x-www-form-urlencoded', 'application/jsonx', '+json', 'a b/c+json'])(
    'content type %s returns 415',
    async (type) => {
      const { status, body } = await api().post(TOOL, '{}', { 'Content-Type': type });
      expect([status, body.title]).toEqual([415, 'Unsupported Media Type']);
    },
  );

  test.each([undefined, 'application/vnd.other+json', 'Application/Problem+JSON; charset=utf-8'])(
    'content type %s is read as JSON, as by the existing service',
    async (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { 'Content-Type': type };
      const init = { method: 'POST', headers, body: new Blob(['{"value":7}']) };
      expect((await api().request(TOOL, init)).status).toBe(200);
      expect((await api().request(PROMPT, { ...init, body: new Blob(['{"arguments":{}}']) })).status).toBe(
        200,
      );
    },
  );

  test('a request from a web page without a content type, which needs no preflight request, is rejected', async () => {
    const init = { method: 'POST', headers: { Origin: 'https://evil.example' }, body: new Blob(['{}']) };
    expect((await api().request(TOOL, init)).status).toBe(403);
  });

  test('an unknown content encoding returns 415', async () => {
    expect((await api().post(TOOL, '{}', { 'Content-Encoding': 'compress' })).status).toBe(415);
  });

  test('more than 1 MiB returns 413', async () => {
    const fits = `{"value":"${'x'.repeat(1_048_576 - 12)}"}`;
    expect(fits.length).toBe(1_048_576);
    expect((await api().post(TOOL, fits)).status).toBe(200);
    const { status, body } = await api().post(TOOL, `${fits} `);
    expect([status, body.title, body.detail]).toEqual([
      413,
      'Request Entity Too Large',
      'request body is too large limit=1048576 bytes',
    ]);
  });

  test.each(['[]', '"text"', '7', 'null', 'true'])(
    '%s returns 422, because arguments must be an object',
    async (text) => {
      const { status, body } = await api().post(TOOL, text);
      expect(status).toBe(422);
      expect(body.errors).toEqual([
        expect.objectContaining({
          location: 'body',
          message: expect.stringMatching(/^the body must be an object of arguments, not /),
        }),
      ]);
    },
  );

  test('prompt arguments must be strings', async () => {
    const { status, body } = await api().post(PROMPT, { arguments: { name: 7, other: null } });
    expect(status).toBe(422);
    expect(body).toEqual({
      $schema: 'http://localhost/schemas/ErrorModel.json',
      title: 'Unprocessable Entity',
      status: 422,
      detail: 'arguments/name must be text, not 7; arguments/other must be text, not null',
      errors: [
        { message: 'arguments/name must be text, not 7', location: 'body.arguments.name', value: 7 },
        { message: 'arguments/other must be text, not null', location: 'body.arguments.other', value: null },
      ],
    });
  });

  test('member names are case-sensitive', async () => {
    const { status, body } = await api().post(PROMPT, { Arguments: {}, more: 1 });
    expect(status).toBe(422);
    expect(body.errors).toEqual([
      {
        message: 'unknown key "Arguments" (did you mean arguments?)',
        location: 'body.Arguments',
      },
      { message: 'unknown key "more" (known keys: $schema, arguments)', location: 'body.more', value: 1 },
    ]);
  });

  test('deeply nested JSON is accepted up to a limit', async () => {
    const deep = (levels: number): string => `{"value":${'['.repeat(levels)}${']'.repeat(levels)}}`;
    expect((await api().post(TOOL, deep(400))).body).toBe(deep(400));
    expect((await api().post(TOOL, deep(100_000))).status).toBe(422);
  });
});

test('an incomplete body returns 408 and closes the connection', async () => {
  const hasty = await openApi({ servers: [], bodyTimeoutMs: 100 });
  const origin = await hasty.listen();
  const answer = await new Promise<{
    status: number | undefined;
    text: string;
    connection: string | undefined;
  }>((resolve, reject) => {
    const sent = httpRequest(`${origin}${TOOL}`, {
      method: 'POST',
      headers: { ...JSON_TYPE, 'Content-Length': 100 },
    });
    sent.on('error', reject);
    sent.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => (text += part));
      response.on('end', () =>
        resolve({ status: response.statusCode, text, connection: response.headers.connection }),
      );
    });
    sent.write('{"value":');
  });
  expect(answer).toMatchObject({ status: 408, connection: 'close' });
  expect(JSON.parse(answer.text)).toMatchObject({
    title: 'Request Timeout',
    status: 408,
    detail: 'request body read timeout',
  });
  await hasty.close();
});
