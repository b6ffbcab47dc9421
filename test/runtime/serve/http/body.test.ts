import { Type } from 'typebox';
import { describe, expect, test } from 'vitest';
import { createBodyReader } from '#serve/http/body.ts';
import { MESSAGE_KEYWORD } from '#serve/http/explain-problems.ts';
import { oneOf, optional, textMap } from '#serve/http/schemas.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

const text = Type.String({ minLength: 1, title: 'text', [MESSAGE_KEYWORD]: 'Nothing to do' });
const pair = Type.Array(text, { minItems: 2, maxItems: 2, title: 'a pair of texts' });
const SCHEMA = Type.Object(
  {
    inputs: Type.Array(Type.Union([text, pair]), { title: 'a list of texts' }),
    count: optional(Type.Integer({ minimum: 1, maximum: 9 })),
    mode: optional(oneOf(['fast', 'slow'])),
    metadata: optional(textMap({ title: 'an object of texts' })),
  },
  { additionalProperties: false },
);

const MAX_BODY = 1_000_000;
const app = httpShell(testKernel());
const readBody = createBodyReader({ maxBodyBytes: MAX_BODY });
app.post('/', async (c) => c.json(await readBody(c, SCHEMA)));

const JSON_TYPE = { 'Content-Type': 'application/json' };
async function post(
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = JSON_TYPE,
): Promise<[number, string]> {
  // Required to send a stream, but missing in the types.
  const init = { method: 'POST', body, headers, duplex: 'half' } as RequestInit;
  const response = await app.request('/', init);
  return [response.status, await response.text()];
}
const send = (value: unknown): Promise<[number, string]> => post(JSON.stringify(value));

/** A body without a Content-Length. */
function stream(chunk: Uint8Array, times: number): ReadableStream<Uint8Array> {
  let left = times;
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(chunk);
      else controller.close();
    },
  });
}

test('a valid body is passed on unchanged', async () => {
  const body = { inputs: ['a', ['b', 'c']], count: 3, mode: null, metadata: { ['__proto__']: 'x', k: 'v' } };
  expect(await send(body)).toEqual([200, JSON.stringify(body)]);
  const raw = '{"inputs":["\\ud800"],"metadata":{"__proto__":"x"}}';
  expect(await post(raw)).toEqual([200, raw]);
});

describe('the content type', () => {
  test.each(['application/json', 'Application/JSON', 'application/json; charset=utf-8'])(
    '%s is accepted',
    async (type) => {
      expect((await post('{"inputs":["a"]}', { 'Content-Type': type }))[0]).toBe(200);
    },
  );

  test.each([
    'text/plain',
    'application/ld+json',
    'application/x-www-form-urlencoded',
    'application/jsonx',
    '',
  ])('"%s" is rejected', async (type) => {
    const [status, message] = await post('{"inputs":["a"]}', { 'Content-Type': type });
    expect(status).toBe(415);
    expect(message).toBe(
      `Unsupported content type: found ${type ? JSON.stringify(type) : 'none'}. Send the header \`Content-Type: application/json\`.`,
    );
  });
});

describe('the body limit', () => {
  const refusal = [
    413,
    expect.stringMatching(/^Body too large: the maximum is 1000000 bytes\. .*--max-body\.$/),
  ];

  test('applies to the Content-Length before anything is read', async () => {
    expect(await post('{}', { ...JSON_TYPE, 'Content-Length': String(MAX_BODY + 1) })).toEqual(refusal);
  });

  test('applies to a body without a Content-Length', async () => {
    expect(await post(stream(Buffer.alloc(100_000, 32), Infinity))).toEqual(refusal);
  });

  test('allows exactly the maximum', async () => {
    const fitting = `{"inputs":["${'x'.repeat(MAX_BODY - 15)}"]}`;
    expect(fitting.length).toBe(MAX_BODY);
    expect((await post(stream(Buffer.from(fitting), 1)))[0]).toBe(200);
    expect(await post(stream(Buffer.from(`${fitting} `), 1))).toEqual(refusal);
  });
});

describe('malformed JSON', () => {
  test.each([
    ['', 'it is empty.'],
    [' \n', 'it is empty.'],
    ['{"inputs": ["a', 'unexpected end of input.'],
    ['{"a":1', 'unexpected end of input.'],
    ['{"a":tru', 'unexpected end of input.'],
    ['[1,]', 'unexpected "]" at line 1, column 4.'],
    ['{"a":tru}', 'unexpected "}" at line 1, column 9.'],
    ["{'a':1}", 'unexpected "\'" at line 1, column 2.'],
    ['{"a":1}}', 'unexpected "}" at line 1, column 8.'],
    ['{\n  "a": 1,\n  b\n}', 'unexpected "b" at line 3, column 3.'],
    ['{"a": NaN}', 'unexpected "N" at line 1, column 7.'],
    ['{"a": undefined}', 'unexpected "u" at line 1, column 7.'],
    ['["tab\there"]', 'unexpected "\\t" at line 1, column 6.'],
    ['{"a":01}', 'unexpected "1" at line 1, column 7.'],
    ['😀', 'unexpected "😀" at line 1, column 1.'],
  ])('%j', async (body, why) => {
    expect(await post(body)).toEqual([400, `The body is not valid JSON: ${why}`]);
  });

  test('is reported with its position by the parser, even in a large body', async () => {
    const long = `{"inputs":["${'x'.repeat(100_000)}"`;
    expect(await post(long)).toEqual([400, 'The body is not valid JSON: unexpected end of input.']);
    expect(await post(`${long} x`)).toEqual([
      400,
      'The body is not valid JSON: unexpected "x" at line 1, column 100015.',
    ]);
    const [status, message] = await post(`${long},]`);
    expect([status, message]).toEqual([
      400,
      'The body is not valid JSON: unexpected character at an unknown position.',
    ]);
  });

  test('invalid UTF-8 is not replaced silently', async () => {
    const bytes = Buffer.concat([Buffer.from('{"inputs":["'), Buffer.from([0xff, 0xfe]), Buffer.from('"]}')]);
    expect(await post(bytes)).toEqual([400, 'The body is not valid UTF-8.']);
  });
});

describe('an invalid body', () => {
  test.each([
    [3, 'the body must be an object, not 3'],
    [{}, 'inputs is missing'],
    [{ inputs: 'x' }, 'inputs must be a list of texts, not "x"'],
    [{ inputs: [3] }, 'inputs/0 must be text or a pair of texts, not 3'],
    [{ inputs: [''] }, 'Nothing to do'],
    [{ inputs: ['', ''] }, 'Nothing to do'],
    [{ inputs: [['a']] }, 'inputs/0 must have at least 2 elements'],
    [{ inputs: [['a', 'b', 'c']] }, 'inputs/0 must have at most 2 elements, not 3'],
    [{ inputs: [['a', 3]] }, 'inputs/0/1 must be text, not 3'],
    [{ inputs: [[3, 3]] }, 'inputs/0 must be text or a pair of texts, not a list'],
    [{ inputs: [], count: 0 }, 'count must be at least 1, not 0'],
    [{ inputs: [], count: 10 }, 'count must be at most 9, not 10'],
    [{ inputs: [], count: 1.5 }, 'count must be a whole number, not 1.5'],
    [{ inputs: [], mode: 'quick' }, 'mode must be one of fast, slow, not "quick"'],
    [{ inputs: [], metadata: { a: 1 } }, 'metadata/a must be text, not 1'],
    [{ inputs: [], metadata: [] }, 'metadata must be an object of texts, not a list'],
    [{ inputs: [], metdata: {} }, 'unknown key "metdata" (did you mean metadata?)'],
    [{ inputs: [], zzz: {} }, 'unknown key "zzz" (known keys: inputs, count, mode, metadata)'],
    [{ inputs: [], metadata: { 'a/b~c': 1 } }, 'metadata/a/b~c must be text, not 1'],
    [
      { input: ['a'], count: 'many' },
      'inputs is missing; unknown key "input" (did you mean inputs?); count must be a whole number, not "many"',
    ],
  ])('%j', async (body, message) => {
    expect(await send(body)).toEqual([422, message]);
  });

  test('with a number too large for a double is reported as Infinity, not null', async () => {
    expect(await post('{"inputs":[],"count":1e999}')).toEqual([
      422,
      'count must be a whole number, not Infinity',
    ]);
  });

  test('with many problems reports the first ones', async () => {
    const [status, message] = await send({ inputs: Array.from({ length: 1000 }, (_, at) => at) });
    expect(status).toBe(422);
    expect(message).toMatch(
      /^inputs\/0 must be text .*; inputs\/19 must be text or a pair of texts, not 19; and more$/,
    );
  });

  test('reports only the first problem if it is large', async () => {
    expect(await send({ inputs: Array.from({ length: 50_000 }, () => 1), count: 0 })).toEqual([
      422,
      'inputs/0 must be text or a pair of texts, not 1',
    ]);
  });

  test('nested too deeply is rejected before parsing, which could take seconds', async () => {
    const tooDeep = [422, 'The body exceeds the maximum nesting depth of 64 lists and objects.'];
    expect(await post(`${'['.repeat(65)}${']'.repeat(65)}`)).toEqual(tooDeep);
    expect(await post(`{"a":${'[{"b":'.repeat(32)}`)).toEqual(tooDeep);
    const fitting = `${'['.repeat(64)}${']'.repeat(64)}`;
    expect(await post(fitting)).toEqual([422, 'the body must be an object, not a list']);
    // Brackets in strings, and brackets that are closed again, do not count.
    for (const text of ['['.repeat(100), '\\"[{'.repeat(100), '\\\\', `${'x'.repeat(100_000)}\\"[`]) {
      const body = `{"inputs":["${text}",${'["a","b"],'.repeat(100)}"c"]}`;
      expect((await post(body))[0], text.slice(0, 20)).toBe(200);
    }
  });

  test.each([
    ['lists in lists', `${'['.repeat(400_000)}${']'.repeat(400_000)}`],
    ['unterminated lists', '['.repeat(900_000)],
    ['objects in objects', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['lists in place of a text', `{"inputs":[${'['.repeat(100_000)}${']'.repeat(100_000)}]}`],
    ['very many keys', `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join(',')}}`],
    ['a very long key', `{"${'k'.repeat(900_000)}":1}`],
    ['a very long text', JSON.stringify({ mode: 'm'.repeat(900_000) })],
  ])('of %s is rejected with a short message', async (_name, body) => {
    const [status, message] = await post(body);
    expect(status).toBe(422);
    expect(message.length).toBeLessThan(500);
  });
});
