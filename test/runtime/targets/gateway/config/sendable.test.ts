import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { problems, read, readWithEnv } from './read.ts';

const temp = useTempFolder();
const MASTER = 'the-master-key-of-this-test-0123456789';
const RULE = /contains characters that are not allowed in headers; use one line of printable ASCII/;

test('trailing line breaks in keys and headers from mounted secrets are ignored', async () => {
  const env = { K: 'sk-canary\n', GROQ_API_KEY: 'sk-groq\r\n', GATEWAY_MASTER_KEY: `${MASTER}\n` };
  const config = await read(
    'providers: {openai: {api_key: "${K}", headers: {X-A: "Key ${K}"}}, groq: }\nencoders: {guard: {url: "http://localhost:1", api_key: "${K}"}}',
    { env },
  );
  expect(config.models.providers).toMatchObject([
    { apiKey: 'sk-canary', headers: { 'X-A': 'Key sk-canary' } },
    { apiKey: 'sk-groq' },
    { apiKey: 'sk-canary' },
  ]);
  expect(config.masterKey).toBe(MASTER);
  expect(config.secrets.map(({ value }) => value)).toEqual(
    expect.arrayContaining(['sk-canary', 'sk-groq', MASTER]),
  );
});

test.each(['sk-canary\nx', 'sk-cänary-canary', ' canary', '\n'])(
  'a key that cannot be sent in a header is rejected: %j',
  async (key) => {
    const told = { env: { K: key } };
    const found = [
      ...(await problems('providers:\n  openai: {api_key: "${K}"}', told)),
      ...(await problems('encoders:\n  guard: {url: "http://localhost:1", api_key: "${K}"}', told)),
      ...(await problems('workflows:\n  ray: {address: "http://localhost:1", token: "${K}"}', told)),
    ];
    expect(found).toEqual([
      expect.stringMatching(
        /^2:21 {2}providers\.openai\.api_key: contains characters that are not allowed in headers/,
      ),
      expect.stringMatching(
        /^2:\d+ {2}encoders\.guard\.api_key: contains characters that are not allowed in headers/,
      ),
      expect.stringMatching(
        /^2:\d+ {2}workflows\.ray\.token: contains characters that are not allowed in headers/,
      ),
    ]);
    expect(found.join()).not.toContain('canary');
  },
);

test('errors about keys from preset variables name the variables', async () => {
  const env = { GROQ_API_KEY: 'sk-canary\nx' };
  expect(await problems('providers:\n  groq:', { env })).toEqual([
    expect.stringMatching(
      /^2:3 {2}providers\.groq: GROQ_API_KEY contains characters that are not allowed in headers/,
    ),
  ]);
  const before = process.cwd();
  process.chdir(temp());
  try {
    await expect(readWithEnv({ env })).rejects.toThrow(
      /^GROQ_API_KEY contains characters that are not allowed in headers[^\n]*\.$/,
    );
  } finally {
    process.chdir(before);
  }
});

test.each([
  ['bad header', 'v', 'is not a valid header name'],
  ['x-a', 'canary\r\nx-injected: 1', 'contains characters that are not allowed in headers'],
  ['x-a', 'canary 世界', 'contains characters that are not allowed in headers'],
  ['content-length', '3', 'is set automatically; remove it'],
  ['Transfer-Encoding', 'chunked', 'is set automatically'],
  ['host', 'other.example', 'is set automatically'],
])('the config check rejects the header %s: %j', async (name, value, message) => {
  const headers = { [name]: value };
  const found = await problems({
    providers: { lab: { type: 'ollama', headers, client_args: { custom_headers: headers } } },
    encoders: { guard: { url: 'http://localhost:1', headers } },
    otel: { endpoint: 'http://localhost:1', headers },
  });
  expect(found).toHaveLength(4);
  for (const one of found) expect(one).toMatch(/^1:\d+ {2}(providers|encoders|otel)\./);
  for (const one of found) expect(one).toContain(`${name}: ${message}`);
  expect(found.join()).not.toContain('canary');
});

test.each(['canary-ä'.padEnd(40, '0'), `${'canary'.padEnd(40, '0')}\nx`, ' '.repeat(40)])(
  'a master key that no client can send is rejected: %j',
  async (key) => {
    await expect(read({}, { env: { GATEWAY_MASTER_KEY: key } })).rejects.toThrow(
      /^GATEWAY_MASTER_KEY contains characters/,
    );
    await expect(read({}, { flags: ['--master-key', key] })).rejects.toThrow(
      /^--master-key contains characters/,
    );
    expect(await problems({ master_key: key })).toEqual([
      expect.stringMatching(/^1:\d+ {2}master_key: contains characters/),
    ]);
    const path = join(temp(), 'key');
    writeFileSync(path, key);
    await expect(read({ master_key_file: path })).rejects.toThrow(
      /^master_key_file: .*(contains characters|must contain only the key)/,
    );
    await expect(read({ master_key_file: path })).rejects.not.toThrow(/canary/);
  },
);

test('the error for a master key with a line break states the rule for keys', async () => {
  await expect(read({}, { env: { GATEWAY_MASTER_KEY: 'a\nb' } })).rejects.toThrow(RULE);
});
