import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { problems, read, readWithEnv } from './read.ts';

const temp = useTempFolder();

test('all problems of a file are reported together, each with its position, the rule and a fix', async () => {
  const text = `
hosst: x
port: 70000
database_url: mysql://ada:s3cret@h/x
master_key: 12345678
providers:
  openai:
  mistral: {api_kye: abc}
  lab: {type: openai-compatible}
  lab2: {api_base: http://localhost:1/v1}
  lab3: {type: opnai, api_base: http://localhost:1/v1}
  lab4: {type: openai, api_base: "http://user:pw@host/v1"}
  metadata: {type: openai, api_base: "http://169.254.169.254/v1"}
  bad name: {type: openai}
encoders:
  guard: {path: ./nothing.encoder}
  both: {}
aliases:
  fast: {targets: [{model: opnai:gpt-4o, weight: -1}], fallbacks: [openai]}
  slow: fast
  third: {target: [x], falbacks: []}
  fourth: {targets: [openai:x], strategy: quickest}
cache: {scope: team, ttl: 0s, semantic: {encoder: gard, threshold: 2, question: all}}
timeouts: {connect: 0s, idel: 3}
guardrails:
  profiles:
    inj: {encoder: guardd, labels: X, threshold: 0.5, window_length: 10}
  policy:
    - {profile: injj, mode: blok, on: [inputt]}
pricing:
  openai:gpt-4o: {input_price_per_million: -1, output_price_per_million: 1}
  gpt: {input_price_per_million: 1, output_price_per_million: 1}
  openai:x: {input_price_per_million: 1, output_price_per_million: 1, effective_at: yesterday}
  openai:y: {input_price_per_million: 1, output_price_per_million: 1, cache_write_price_per_million: 1, tiers: [{above_prompt_tokens: 9, input_price_per_million: x, output_price_per_million: 1}]}
  openai:z: {input_price_per_million: 1, output_price_per_million: 1, tiers: [{above_prompt_tokens: 0, input_price_per_million: 1, output_price_per_million: 1}]}
otel: {endpoint: foo, sampled: 3}
log_level: verbose
enable_metrics: yes
`.trimStart();
  const found = await problems(text);
  expect(found.map((line) => line.replace(/^\d+:\d+ {2}/, ''))).toEqual([
    'unknown key `hosst`; did you mean `host`?',
    'port: expected at most 65535, found the number 70000',
    expect.stringMatching(/^database_url: The database URL has the unsupported scheme "mysql"\. Use /),
    'master_key: expected a string, found a hidden value',
    'providers.mistral: unknown key `api_kye`; did you mean `api_key`?',
    'providers.lab: type openai-compatible has no default address; set `api_base`',
    expect.stringMatching(
      /^providers\.lab2: `lab2` is not a preset and requires a `type`; known types are openai, /,
    ),
    'providers.lab3.type: unknown type `opnai`; did you mean `openai`?',
    'providers.lab4.api_base: contains credentials; use `api_key` or `headers` instead',
    'providers.metadata.api_base: 169.254.169.254 is not a server address; correct it',
    expect.stringMatching(/^providers\.bad name: a name must consist of letters/),
    expect.stringMatching(/^encoders\.guard\.path: .*nothing\.encoder does not exist; correct the path$/),
    'encoders.both: an encoder requires either `path` or `url`',
    'aliases.fast.targets.0.model: there is no provider `opnai`; did you mean `openai`?',
    'aliases.fast.targets.0.weight: expected at least 0, found the number -1',
    'aliases.fast.fallbacks.0: expected `provider:model`, found "openai"',
    'aliases.slow: "fast" is an alias; list the models of that alias instead',
    expect.stringMatching(/^aliases\.third: .*`target` and `falbacks` are not allowed here$/),
    'aliases.fourth.strategy: expected one of weighted, fastest, cheapest, least_busy; found "quickest"',
    'cache.scope: expected one of key, user, shared; found "team"',
    expect.stringMatching(/^cache\.ttl: expected a positive duration.*found "0s"$/),
    'cache.semantic.encoder: there is no encoder `gard`; did you mean `guard`?',
    'cache.semantic.threshold: expected at most 1, found the number 2',
    'cache.semantic.question: expected one of last_message, conversation; found "all"',
    expect.stringMatching(/^timeouts\.connect: expected a positive duration.*found "0s"$/),
    expect.stringMatching(/^timeouts: unknown key `idel`; expected `connect`/),
    'guardrails.profiles.inj.encoder: there is no encoder `guardd`; did you mean `guard`?',
    'guardrails.profiles.inj.window_length: the overlap (80) must be less than the window length',
    'guardrails.policy.0.profile: there is no profile `injj`; did you mean `inj`?',
    'guardrails.policy.0.mode: expected one of block, monitor; found "blok"; did you mean `block`?',
    'guardrails.policy.0.on: expected input, output or both, found "inputt"; did you mean `input`?',
    'pricing.openai:gpt-4o.input_price_per_million: expected an amount in dollars of at least 0, found -1',
    'pricing.gpt: expected `provider:model`',
    expect.stringMatching(/^pricing\.openai:x\.effective_at: expected a date or time such as/),
    'pricing.openai:y.tiers: The tier above 9 tokens has no cache_write_price_per_million, which is required because the price itself has one.',
    'pricing.openai:y.tiers.0.input_price_per_million: expected an amount in dollars of at least 0, found "x"',
    'pricing.openai:z.tiers.0.above_prompt_tokens: expected at least 1, found the number 0',
    'otel.endpoint: expected a URL that starts with http:// or https://',
    'otel.sampled: expected at most 1, found the number 3',
    'log_level: expected one of debug, info, warn, error, silent; found "verbose"',
    'enable_metrics: expected true or false, found "yes"',
  ]);
  const lines = found.map((line) => Number.parseInt(line, 10));
  expect(lines).toEqual(lines.toSorted((a, b) => a - b));
  expect(lines[3]).toBe(4);
  expect(found.join('\n')).not.toContain('s3cret');
});

test.each([
  ['providers: {openai: {api_key: "x}', /^1:\d+ .*this quote is never closed/],
  ['providers:\n\topenai: {}', /^2:1 .*tab/],
  ['port: 1\nport: 2', /^2:1 {2}port: duplicate key; remove one/],
  ['- a', /^1:1 {2}expected a mapping with settings such as `providers`, found a list/],
  ['just text', /^1:1 {2}expected a mapping/],
  ['port: !int 3', /^1:\d+ .*tags/],
  ['a: &a [*a, *a]', /./],
  ['host: "\u0000"', /./],
])('%j is rejected with its position', async (text, expected) => {
  expect((await problems(text)).join('\n')).toMatch(expected);
});

test('duplicate names and settings are rejected', async () => {
  expect(await problems('providers: {lab: {type: ollama}, LAB: {type: vllm}}')).toEqual([
    expect.stringMatching(/^1:13 {2}providers\.lab: duplicate name; names are case-insensitive/),
  ]);
  expect(await problems({ rate_limit_rpm: 1, user_limits: { rpm: 2 } })).toHaveLength(1);
  expect(await problems({ require_pricing: true, allow_unpriced: true })).toEqual([
    expect.stringMatching(/allow_unpriced: conflicts with `require_pricing`; keep one of them$/),
  ]);
  expect(await problems({ master_key: 'x'.repeat(40), master_key_file: 'y' })).toHaveLength(1);
  expect(await problems({ providers: { a: { type: 'ollama', provider_type: 'ollama' } } })).toHaveLength(1);
  expect(await problems({ tls: { cert_file: 'c.pem' } })).toEqual(['tls.cert_file requires tls.key_file.']);
});

test.each([
  ['labels: []', 'labels: must not be empty'],
  ['labels: ["", X]', 'labels.0: must not be empty'],
  ['labels: ""', 'labels: must not be empty'],
  ['labels: [" "]', 'labels: a label must not be blank; use one of the encoder’s labels'],
])('a guardrail with %s is rejected because it would allow everything', async (labels, message) => {
  const found = await problems(
    `encoders: {guard: {url: "http://localhost:1"}}\nguardrails: {profiles: {inj: {encoder: guard, ${labels}, threshold: 0.5}}}`,
  );
  expect(found).toEqual([expect.stringContaining(`guardrails.profiles.inj.${message}`)]);
  expect(found[0]).toMatch(/^2:\d+ /);
});

test('a guardrail without exactly one valid check is rejected', async () => {
  const guardrails = {
    profiles: {
      ids: { patterns: { ID: String.raw`(a)\1` } },
      form: { json_schema: { type: 'thing' }, retries: 6, action: 'mask' },
      both: { encoder: 'pii', entities: 'PER', patterns: { A: 'b' } },
      none: { encoder: 'pii', labels: 'X' },
      mask: { entities: 'PER' },
      hook: { webhook: { url: 'ftp://x' } },
    },
    policy: [
      { profile: 'mask', on: 'output', restore: true },
      { profile: 'form', on: 'input' },
    ],
  };
  const encoders = { pii: { url: 'http://localhost:1' } };
  const found = await problems({ encoders, guardrails, audit: { retention: 'a year' } });
  expect(found.map((line) => line.replace(/^\S+ +(?:guardrails\.)?/, ''))).toEqual([
    String.raw`profiles.ids.patterns.ID: the pattern "(a)\\1" is invalid: A backreference is not supported`,
    expect.stringContaining('profiles.form.json_schema: is not a valid JSON Schema: '),
    'profiles.form.retries: must be at most 5, because each call is billed',
    'profiles.form.action: requires entities or patterns',
    expect.stringMatching(/^profiles.both: expected one of .* found entities and patterns$/),
    'profiles.none: requires `threshold`',
    'profiles.mask: requires `encoder`',
    'profiles.hook.webhook.url: expected a URL that starts with http:// or https://',
    'policy.0.restore: the profile `mask` does not mask requests; `restore` requires `on: input` or `on: both`',
    'policy.1.on: the profile `form` checks responses; use it with `on: output`',
    'audit.retention: expected a time such as 12h, 30d or 52w, or forever, found "a year"',
  ]);
});

test('a guardrail rule that applies neither to requests nor to responses is rejected', async () => {
  const found = await problems(
    'encoders: {guard: {url: "http://localhost:1"}}\nguardrails: {profiles: {inj: {encoder: guard, labels: X, threshold: 0.5}}, policy: [{profile: inj, on: []}]}',
  );
  expect(found).toEqual([expect.stringContaining('guardrails.policy.0.on: must not be empty')]);
});

test('unreadable files are reported in one sentence', async () => {
  const missing = join(temp(), 'none.yml');
  await expect(readWithEnv({ flags: ['-c', missing] })).rejects.toThrow(
    `--config: ${missing} does not exist. Correct the path, or omit it.`,
  );
  await expect(readWithEnv({ env: { GATEWAY_CONFIG: missing } })).rejects.toThrow(
    /^GATEWAY_CONFIG: .*none\.yml does not exist\./,
  );
  await expect(readWithEnv({ flags: ['-c', temp()] })).rejects.toThrow(/it is a folder\. Pass a file\./);
  const latin = join(temp(), 'latin.yml');
  writeFileSync(latin, Buffer.from([0x61, 0x3a, 0x20, 0xe4]));
  await expect(readWithEnv({ flags: ['-c', latin] })).rejects.toThrow(/is not valid UTF-8/);
});

test('invalid flags and variables are rejected by name', async () => {
  await expect(read({}, { flags: ['--port', 'high'] })).rejects.toThrow(
    '--port: "high" is not a whole number from 0 to 65535.',
  );
  await expect(read({}, { env: { GATEWAY_PORT: '-1' } })).rejects.toThrow(/^GATEWAY_PORT: "-1" is not/);
  await expect(read({}, { env: { GATEWAY_BODY_TIMEOUT: 'soon' } })).rejects.toThrow(
    /^GATEWAY_BODY_TIMEOUT: "soon" is not a positive duration/,
  );
  await expect(read({}, { env: { DATABASE_URL: 'mysql://ada:s3cret@x/y' } })).rejects.toThrow(
    /^DATABASE_URL: The database URL has the unsupported scheme "mysql"\./,
  );
  await expect(read({}, { flags: ['--master-key', 'x', '--master-key-file', 'y'] })).rejects.toThrow(
    /^--master-key conflicts with --master-key-file; use one of them\.$/,
  );
  await expect(read({}, { env: { OTEL_EXPORTER_OTLP_ENDPOINT: 'here' } })).rejects.toThrow(
    /^OTEL_EXPORTER_OTLP_ENDPOINT: /,
  );
});

test('headers written as a single string are rejected and not printed', async () => {
  const secret = 'Authorization: Bearer 5ecret';
  const found = await problems({
    providers: {
      openai: { api_key: 'k', headers: secret },
      lab: { type: 'openai', headers: { a: [secret] } },
    },
    otel: { endpoint: 'http://127.0.0.1:4318', headers: secret },
  });
  expect(found.join('\n')).not.toContain('5ecret');
  expect(found.join('\n')).toContain('providers.openai.headers: expected a mapping, found a hidden value');
});
