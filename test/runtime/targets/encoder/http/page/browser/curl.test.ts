import { execaSync } from 'execa';
import { array, assert, constantFrom, property, string } from 'fast-check';
import { expect, test } from 'vitest';
import { loadModule } from '../load-module.ts';

const { curlLine, shellWord } = await loadModule<{
  curlLine: (url: string, body: unknown, withKey: boolean) => string;
  shellWord: (text: string) => string;
}>('curl.js');

/** The arguments that a real shell hands to curl. */
function argumentsOf(line: string): string[] {
  const script = `curl() { for word; do printf '%s\\0' "$word"; done; }\n${line}`;
  const { stdout } = execaSync('sh', ['-c', script], { env: { API_KEY: 'secret' } });
  return stdout.split('\0').slice(0, -1);
}

test('a shell sends what the page sends', () => {
  const body = { inputs: [`it's "$HOME" \`id\` \\ !x %s`, '\n\t\u0000 \u2028 é 😀 \ud800', "''", '$(id)'] };
  const [url, header, type, data, json = ''] = argumentsOf(
    curlLine('http://[::1]:8080/predict', body, false),
  );
  expect([url, header, type, data]).toEqual([
    'http://[::1]:8080/predict',
    '-H',
    'Content-Type: application/json',
    '-d',
  ]);
  expect(JSON.parse(json)).toEqual(body);
});

test('a key is named and not shown', () => {
  const line = curlLine('http://localhost:8080/predict', { inputs: ['a'] }, true);
  expect(line).toBe(
    `curl http://localhost:8080/predict \\
  -H "Authorization: Bearer $API_KEY" \\
  -H 'Content-Type: application/json' \\
  -d '{"inputs":["a"]}'`,
  );
  expect(argumentsOf(line)).toContain('Authorization: Bearer secret');
});

test('any text is one word', () => {
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
