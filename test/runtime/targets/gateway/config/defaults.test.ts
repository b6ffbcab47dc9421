import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '#core/json/is-object.ts';
import { MASTER_KEY_RULE, RECOMMENDED_KEY_LENGTH } from '#gateway/config/defaults.ts';
import type { LoadedGatewayConfig } from '#gateway/config/read-config.ts';
import { GATEWAY_FILE_SCHEMA } from '#gateway/config/schemas/file.ts';
import { PROVIDER_LIMITS } from '#gateway/providers/adapters/provider.ts';
import { WINDOW_LENGTH, WINDOW_OVERLAP } from '#gateway/requests/guardrails/judges/judgement.ts';
import { assertSafeToListen } from '#serve/program/listen-policy.ts';
import { ROOT } from '#test/helpers/paths.ts';
import { read } from './read.ts';

type Json = Readonly<Record<string, unknown>>;

/** A file with every section, each with only its required keys. */
const SECTIONS = {
  limits: {},
  user_limits: {},
  requests: {},
  audit: {},
  prompt_log: {},
  retries: {},
  breaker: {},
  timeouts: {},
  otel: { endpoint: 'http://127.0.0.1:4318' },
  sign_in: {
    issuer: 'https://id.example',
    client_id: 'gateway',
    public_url: 'https://gateway.example',
    groups: { research: { team: 'research' } },
  },
  alerts: { webhook: { url: 'https://hooks.example', secret: `whsec_${'A'.repeat(32)}` } },
  workflows: { ray: { address: 'http://head:8265' } },
  providers: { lab: { type: 'openai-compatible', api_base: 'http://10.0.0.7/v1', timeouts: {} } },
  encoders: { ner: { url: 'http://127.0.0.1:8080', timeouts: {} } },
  cache: { semantic: { encoder: 'ner' } },
  guardrails: {
    profiles: { people: { encoder: 'ner', entities: ['PER'] }, form: { json_schema: { type: 'object' } } },
    policy: [{ profile: 'people' }],
  },
};

/** Keys that only another kind of profile has. */
const FOREIGN: Readonly<Record<string, readonly string[]>> = {
  people: ['retries'],
  form: ['window_length', 'window_overlap'],
};

/** The schema of a member; undefined if there is none. */
function schemaOf(schema: Json, name: string): Json | undefined {
  const { properties, additionalProperties } = schema;
  const own = isObject(properties) ? properties[name] : undefined;
  const other = isObject(additionalProperties) ? additionalProperties : undefined;
  return isObject(own) ? own : other;
}

let filledIn = 0;

/** A value with every default that its schema states. */
function withDefaults(value: unknown, schema: Json, name = ''): unknown {
  if (Array.isArray(value) && isObject(schema['items'])) {
    const { items } = schema;
    return value.map((item) => withDefaults(item, items));
  }
  if (!isObject(value)) return value;
  const { properties = {} } = schema as { properties?: Record<string, Json> };
  const missing = Object.entries(properties).flatMap(([key, member]) =>
    'default' in member && !(key in value) && !FOREIGN[name]?.includes(key) ? [[key, member['default']]] : [],
  );
  filledIn += missing.length;
  const present = Object.entries(value).map(([key, member]) => {
    const own = schemaOf(schema, key);
    return [key, own ? withDefaults(member, own, key) : member];
  });
  return Object.fromEntries([...present, ...missing]);
}

/** The resolved configuration, including defaults that are resolved later. */
function meaningOf({ file, files, sources, ...config }: LoadedGatewayConfig): unknown {
  // These have a different name in each test.
  expect([files, sources.length]).toEqual([[file], 1]);
  const { models } = config;
  const providers = models.providers.map((one) => ({
    ...one,
    limits: { ...PROVIDER_LIMITS, ...one.limits },
  }));
  const profiles = models.guardrails.profiles.map((profile) =>
    profile.kind === 'entities'
      ? {
          ...profile,
          windowLength: profile.windowLength ?? WINDOW_LENGTH,
          windowOverlap: profile.windowOverlap ?? WINDOW_OVERLAP,
        }
      : profile,
  );
  const demanded = models.guardrails.demanded.map((rule) => ({ isRestored: true, ...rule }));
  return JSON.parse(
    JSON.stringify({
      ...config,
      models: { ...models, providers, guardrails: { ...models.guardrails, profiles, demanded } },
    }),
  );
}

test('a file that sets every default explicitly resolves to the same configuration as a file that omits them', async () => {
  const explicit = withDefaults(SECTIONS, GATEWAY_FILE_SCHEMA as unknown as Json) as object;
  expect(filledIn).toBeGreaterThan(55);
  const [implicit, spelled] = [await read(SECTIONS), await read(explicit)];
  expect(meaningOf(spelled)).toEqual(meaningOf(implicit));
});

test('a file without sections has the same defaults', async () => {
  const top = withDefaults({}, GATEWAY_FILE_SCHEMA as unknown as Json) as object;
  expect(meaningOf(await read(top))).toEqual(meaningOf(await read({ log_level: 'info' })));
});

/** The defaults in schemas, by key path. */
function* defaultsIn(schema: Json, path: readonly string[] = []): Generator<[path: string, value: unknown]> {
  if ('default' in schema) yield [path.join('.'), schema['default']];
  const {
    properties = {},
    additionalProperties,
    items,
    anyOf = [],
  } = schema as Record<string, Json> & {
    anyOf?: readonly Json[];
  };
  for (const [name, member] of Object.entries(properties)) yield* defaultsIn(member as Json, [...path, name]);
  for (const inner of [additionalProperties, items, ...anyOf])
    if (isObject(inner)) yield* defaultsIn(inner, path);
}

/** A default as the documentation shows it. */
function shown(value: unknown): string {
  const MIB = 2 ** 20;
  if (Array.isArray(value)) return value.join(', ');
  if (typeof value !== 'number' || value === 0 || value % MIB !== 0) return String(value);
  return value % (1024 * MIB) === 0 ? `${value / (1024 * MIB)} GiB` : `${value / MIB} MiB`;
}

test('the configuration page lists every default', () => {
  const lines = readFileSync(join(ROOT, 'docs/gateway-config.md'), 'utf8').split('\n');
  const missing = [...defaultsIn(GATEWAY_FILE_SCHEMA as unknown as Json)].flatMap(([path, value]) => {
    const key = path.split('.').at(-1) ?? '';
    const text = RegExp.escape(shown(value));
    const states = new RegExp(
      `\\((?:[^()]*, )?${text}(?:[;,:] [^()]*)?\\)|\`${text}\`(?:, default\\)| \\(default| \\(\`?default)|[Dd]efault: \`?${text}`,
    );
    const about = lines.filter((line) => new RegExp(`\`(?:[\\w.<>\\[\\]]*\\.)?${key}\``).test(line));
    return about.some((line) => states.test(line)) ? [] : [`${path}: ${shown(value)}`];
  });
  expect(missing).toEqual([]);
});

test('the lengths of the master key that messages require and recommend are those that the code enforces', async () => {
  const [, required = '', recommended = ''] =
    /at least (\d+) characters.* fewer than (\d+)/.exec(MASTER_KEY_RULE) ?? [];
  expect(Number(recommended)).toBe(RECOMMENDED_KEY_LENGTH);
  const listen = (length: number) => () =>
    assertSafeToListen({
      hostname: '0.0.0.0',
      insecure: false,
      credential: { name: 'a master key', isSet: true, length, remedy: 'Set it' },
    });
  expect(listen(Number(required) - 1)).toThrow(
    `at least ${required} characters; it has ${Number(required) - 1}`,
  );
  expect(listen(Number(required))).not.toThrow();
  const warnings = async (length: number) => (await read({ master_key: 'k'.repeat(length) })).warnings.join();
  expect(await warnings(Number(recommended) - 1)).toContain(`Use at least ${recommended}`);
  expect(await warnings(Number(recommended))).not.toContain('The master key has');
  const page = readFileSync(join(ROOT, 'docs/gateway-config.md'), 'utf8');
  expect(page.includes(MASTER_KEY_RULE)).toBe(true);
  // No text states a different length.
  const stated = page.match(/at least \d+ characters/g) ?? [];
  expect(new Set(stated)).toEqual(new Set([`at least ${required} characters`]));
});
