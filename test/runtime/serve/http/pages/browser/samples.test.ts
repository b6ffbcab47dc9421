import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { execa, execaSync } from 'execa';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { curlSample, shellWord, LANGUAGES } from '#serve/http/pages/browser/samples/samples.ts';

/** The arguments that a real shell passes to curl. */
function argumentsOf(line: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${line}`;
  const { stdout } = execaSync('sh', ['-c', script], { env: { API_KEY: 'secret' } });
  return stdout.split('\0').slice(0, -1);
}

test('the shell command sends the same request as the page', () => {
  const body = { inputs: [`it's "$HOME" \`id\` \\ !x %s`, '\n\t\u0000 \u2028 é 😀 \ud800', "''", '$(id)'] };
  const [url, header, type, data, json = ''] = argumentsOf(
    curlSample({ url: 'http://[::1]:8080/predict', method: 'POST', body, withKey: false }),
  );
  expect([url, header, type, data]).toEqual([
    'http://[::1]:8080/predict',
    '-H',
    'Content-Type: application/json',
    '-d',
  ]);
  expect(JSON.parse(json)).toEqual(body);
});

test('an API key is shown as a placeholder', () => {
  const line = curlSample({
    url: 'http://localhost:8080/predict',
    method: 'POST',
    body: { inputs: ['a'] },
    withKey: true,
  });
  expect(line).toBe(
    `curl http://localhost:8080/predict \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"inputs":["a"]}'`,
  );
  expect(argumentsOf(line)).toContain('Authorization: Bearer secret');
});

test('any text is quoted as one word', () => {
  const special = [
    "'",
    '"',
    '$',
    '`',
    '\\',
    ' ',
    '\n',
    '\t',
    '!',
    '*',
    ';',
    '&',
    '|',
    '-',
    '~',
    'a',
    'é',
    '😀',
  ];
  const text = string({ unit: constantFrom(...special) });
  assert(
    property(array(text, { minLength: 1, maxLength: 40 }), (texts) => {
      expect(argumentsOf(`curl ${texts.map(shellWord).join(' ')}`)).toEqual(texts);
    }),
    { numRuns: 10 },
  );
});

/** How to run each sample. */
const RUNNERS: Record<string, readonly [command: string, ...args: string[]]> = {
  curl: ['sh', '-c'],
  Python: ['python3', '-c'],
  JavaScript: [process.execPath, '--input-type=module', '-e'],
};

test.each([
  {
    method: 'POST',
    body: { inputs: [`it's "$HOME" \\ é 😀 \u2028\n`], on: true, off: false, none: null, few: [1, 0.5] },
  },
  { method: 'PUT', body: { deep: { list: [{ text: 'long '.repeat(30) }], empty: [], nothing: {} } } },
  { method: 'GET' },
  { method: 'DELETE' },
])('the sample of a $method request sends the same request in every language', async ({ method, body }) => {
  const arrived: unknown[] = [];
  const server = createServer((request, response) => {
    const answer = async (): Promise<void> => {
      const received = await text(request);
      const { 'content-type': type, authorization: key } = request.headers;
      const sent = received === '' ? undefined : { type, body: JSON.parse(received) as unknown };
      arrived.push({ method: request.method, url: request.url, key, sent });
      response.end('{}');
    };
    void answer();
  }).listen(0, '127.0.0.1');
  try {
    await new Promise((resolve) => server.once('listening', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/a?b=c%20d`;
    for (const { name, write } of LANGUAGES) {
      const [command = '', ...args] = RUNNERS[name] ?? [];
      const program = write({ url, method, withKey: true, ...(body && { body }) });
      await execa(command, [...args, program], { env: { API_KEY: 'secret' } });
    }
  } finally {
    server.close();
  }
  const sent = body && { type: 'application/json', body };
  const expected = { method, url: '/a?b=c%20d', key: 'Bearer secret', sent };
  expect(arrived).toEqual([expected, expected, expected]);
});
