import { describe, expect, test } from 'vitest';
import { toolText } from '#manager/http/routes/tools.ts';
import { serverSpec } from '../server-spec.ts';
import type { Answer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [serverSpec('echo', 'echo', { env: { TOKEN: 'a-secret-token' } })],
  secrets: ['a-secret-token'],
}));

const call = (tool: string, args: unknown = {}, headers?: Record<string, string>): Promise<Answer> =>
  api().post(`/api/v1/servers/echo/tools/${tool}`, args, headers);

describe('the result as text', () => {
  test.each([
    ['echo', { message: 'Grüße <&> "世界" 👋\n' }, 'Grüße <&> "世界" 👋\n'],
    ['echo', { message: '' }, ''],
    ['blocks', {}, 'one\ntwo'],
    ['structured', {}, '{"city":"Oslo","degrees":3.5}'],
    [
      'image',
      {},
      expect.stringMatching(/^\[\{"type":"image","data":"iVBOR[^"]*","mimeType":"image\/png"\}\]$/),
    ],
  ])('returns the text of the tool %s with %j', async (tool, args, text) => {
    const { status, headers, body } = await call(tool, args);
    expect(status).toBe(200);
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(headers.get('Link')).toBe(null);
    expect(body).toEqual(text);
  });

  test('the response is empty for a result without content or with empty text', () => {
    expect(toolText({})).toBe('');
    expect(toolText({ content: [] })).toBe('');
    expect(toolText({ content: [{ type: 'text', text: '' }], structuredContent: { a: 1 } })).toBe('');
    expect(toolText({ content: [{ type: 'text' }] })).toBe('[{"type":"text"}]');
    expect(toolText({ structuredContent: null })).toBe('null');
  });
});

describe('the full result', () => {
  const whole = {
    content: [
      { type: 'text', text: 'one' },
      { type: 'image', data: expect.any(String), mimeType: 'image/png' },
      { type: 'text', text: 'two' },
    ],
  };

  test('the full result can be requested in the query', async () => {
    const { headers, body } = await call('blocks?result=full');
    expect(headers.get('Content-Type')).toBe('application/json');
    expect(body).toEqual(whole);
    expect((await call('blocks?result=Text')).body).toBe('one\ntwo');
  });

  test('the full result can be requested in the Accept header', async () => {
    const type = 'application/vnd.mcp.tool-result+json';
    for (const accept of [type, `text/html, ${type};q=0.9, */*`, type.toUpperCase()]) {
      const { headers, body } = await call('blocks', {}, { Accept: accept });
      expect(headers.get('Content-Type')).toBe(type);
      expect(body).toEqual(whole);
    }
    expect((await call('blocks', {}, { Accept: 'text/html' })).body).toBe('one\ntwo');
  });

  test('the full result is also available for a failure', async () => {
    expect(await call('is-error?result=full', { message: 'no' })).toMatchObject({
      status: 200,
      body: { content: [{ type: 'text', text: 'no' }], isError: true },
    });
  });

  test('an invalid result format is rejected before the call', async () => {
    const { status, body } = await call('log?result=half', { text: 'was called' });
    expect(status).toBe(422);
    expect(body.errors[0]).toMatchObject({ location: 'query.result', value: 'half' });
    await call('log', { text: 'the last line' });
    const lines = api()
      .managed.context.supervisor.get('echo')
      ?.logs.last(10)
      .map(({ text }) => text);
    expect(lines).not.toContain('was called');
  });
});

describe('a failed call', () => {
  test.each([
    ['is-error', { message: 'no disk\nno hope' }, 'no disk\nno hope', undefined],
    ['is-error-without-text', {}, '{"reason":"tired"}', { reason: 'tired' }],
  ])('a failed call returns the whole output of %s', async (tool, args, text, value) => {
    const { status, headers, body } = await call(tool, args);
    expect(status).toBe(502);
    expect(headers.get('Content-Type')).toBe('application/problem+json');
    expect(body).toEqual({
      $schema: 'http://localhost/schemas/ErrorModel.json',
      title: 'Bad Gateway',
      status: 502,
      detail: 'MCP server error calling tool',
      errors: [
        {
          message: `tool call failed: echo/${tool}: ${text}`,
          location: 'path.tool',
          ...(value ? { value } : {}),
        },
      ],
    });
  });

  test('a failed call does not reveal secrets', async () => {
    const { text } = await call('is-error', { message: 'cannot log in with a-secret-token' });
    expect(text).toContain('cannot log in with [redacted]');
    expect(text).not.toContain('a-secret-token');
  });
});

test('argument members can have any name', async () => {
  const args = '{"__proto__":{"a":1},"constructor":1,"$schema":"x","arguments":{}}';
  expect((await call('number', args)).body).toBe(args);
});
