import { describe, expect, test } from 'vitest';
import {
  joinSecrets,
  secretNames,
  splitSecrets,
  withKeptKeys,
} from '#gateway/accounts/registry/entry-secrets.ts';
import { problems, read } from './read.ts';

const SECRETS = ['sk-one-0123456789', 'sk-two-0123456789'] as const;

describe('several keys of a provider in the file', () => {
  test('have names and weights, and replace the single key', async () => {
    const { models, secrets } = await read(`
providers:
  openai:
    keys:
      main: {api_key: ${SECRETS[0]}, weight: 3}
      spare: {api_key: "${SECRETS[1]}\\n", weight: 0}
affinity: {sources: [header, user], headers: [X-Thread], lifetime: 1h}
`);
    expect(models.providers).toMatchObject([
      {
        name: 'openai',
        apiKey: undefined,
        keys: [
          { name: 'main', apiKey: SECRETS[0], weight: 3 },
          { name: 'spare', apiKey: SECRETS[1], weight: 0 },
        ],
      },
    ]);
    expect(secrets.map(({ value }) => value)).toEqual(expect.arrayContaining([...SECRETS]));
    expect(models.affinity).toEqual({
      sources: ['header', 'user'],
      headers: ['x-thread'],
      lifetimeMs: 3_600_000,
    });
  });

  test('azure and bedrock support them', async () => {
    const { models } = await read(`
providers:
  azure: {api_base: "https://x.openai.azure.com", keys: {a: {api_key: ${SECRETS[0]}}}}
  bedrock: {aws: {region: us-east-1}, keys: {a: {api_key: ${SECRETS[0]}}}}
`);
    const keys = [{ name: 'a', apiKey: SECRETS[0], weight: 1 }];
    expect(models.providers).toMatchObject([
      { type: 'azure', apiKey: undefined, keys, cloud: { entra: undefined } },
      { type: 'bedrock', apiKey: undefined, keys, cloud: { keys: undefined } },
    ]);
  });

  test('mistakes are reported without the keys', async () => {
    const found = await problems(`
providers:
  openai: {api_key: ${SECRETS[0]}, keys: {a: {api_key: ${SECRETS[1]}}}}
  mistral: {keys: {a: {api_key: ${SECRETS[0]}}, b: {api_key: ${SECRETS[0]}}}}
  groq: {keys: {}}
  xai: {keys: {"a b": {api_key: ${SECRETS[0]}}, c: {}}}
  together: {keys: {a: ${SECRETS[0]}}}
  deepseek: {keys: {a: {api_key: ${SECRETS[0]}, weight: -1}}}
  vertex: {google: {project: p}, keys: {a: {api_key: ${SECRETS[0]}}}}
  lab: {type: encoder, api_base: "http://127.0.0.1:1", keys: {a: {api_key: ${SECRETS[0]}}}}
affinity: {sources: [ip], headers: ["a b"], lifetime: 0s}
`);
    const lines = found.map((line) => line.replace(/^\d+:\d+ {2}/, ''));
    expect(lines.join('\n')).not.toContain('0123456789');
    expect(lines).toEqual(
      expect.arrayContaining([
        'providers.openai.keys: conflicts with `api_key`; keep one of them',
        'providers.mistral.keys.b: has the same `api_key` as `a`; remove one of them',
        'providers.groq.keys: must have 1 to 100 keys, found 0',
        expect.stringMatching(/^providers\.xai\.keys\.a b: a key's name has up to 64 letters/),
        'providers.xai.keys.c: requires `api_key`',
        expect.stringMatching(/^providers\.together\.keys\.a: expected .*, found a hidden value$/),
        'providers.vertex.keys: is not supported by type vertex',
        'providers.lab.keys: is not supported by type encoder; use `api_key`',
        expect.stringMatching(/^affinity\.headers\.0: /),
        expect.stringMatching(/^affinity\.lifetime: /),
      ]),
    );
    expect(lines.some((line) => line.startsWith('providers.deepseek.keys.a.weight'))).toBe(true);
    expect(lines.some((line) => line.startsWith('affinity.sources'))).toBe(true);
  });
});

describe('the secrets of a stored provider', () => {
  const entry = {
    api_base: 'https://x',
    headers: { a: 'secret' },
    aws: { region: 'r', secret_access_key: 's', session_token: 't' },
    keys: { main: { api_key: 'k', weight: 2 }, spare: { api_key: 'l' } },
  };

  test('are separated from its settings, named, and joined again', () => {
    const { settings, secrets } = splitSecrets(entry);
    expect(settings).toEqual({
      api_base: 'https://x',
      aws: { region: 'r' },
      keys: { main: { weight: 2 }, spare: {} },
    });
    expect(secretNames(secrets)).toEqual([
      'headers.a',
      'aws.secret_access_key',
      'aws.session_token',
      'keys.main.api_key',
      'keys.spare.api_key',
    ]);
    expect(joinSecrets(settings, secrets)).toEqual(entry);
  });

  test('without secrets, nothing is separated', () => {
    expect(splitSecrets({ api_base: 'https://x', keys: { a: {} } })).toEqual({
      settings: { api_base: 'https://x', keys: { a: {} } },
      secrets: {},
    });
  });

  test('keys that a change lists without a secret keep theirs', () => {
    const { secrets } = splitSecrets(entry);
    const changes = { keys: { main: { weight: 1 }, new: { api_key: 'n' }, other: {} } };
    expect(withKeptKeys(changes, secrets)).toEqual({
      keys: { main: { api_key: 'k', weight: 1 }, new: { api_key: 'n' }, other: {} },
    });
    expect(withKeptKeys({ models: ['m'] }, secrets)).toEqual({ models: ['m'] });
    expect(withKeptKeys({ keys: { toString: {} } }, secrets)).toEqual({ keys: { toString: {} } });
  });
});
