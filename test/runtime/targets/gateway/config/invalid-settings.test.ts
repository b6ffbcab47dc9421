import { homedir, userInfo } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { UsageError } from '#serve/cli/command.ts';
import { problems, read } from './read.ts';

afterEach(() => vi.unstubAllEnvs());

test('origins and hosts that no client can send are rejected', async () => {
  const found = await problems({
    cors_allow_origins: ['*', 'https://good.example', 'foo', 'https://a/path'],
    allowed_hosts: ['good.example:8000', 'http://x'],
  });
  expect(found).toEqual([
    expect.stringMatching(/^1:\d+ {2}cors_allow_origins\.2: "foo" is not an origin; use a scheme and host/),
    expect.stringMatching(/^1:\d+ {2}cors_allow_origins\.3: "https:\/\/a\/path" is not an origin/),
    expect.stringMatching(
      /^1:\d+ {2}allowed_hosts\.1: "http:\/\/x" is not a host name; use a name such as gateway\.example/,
    ),
  ]);
  expect((await read({ cors_allow_origins: ['HTTPS://App.Example/'] })).server.corsOrigins).toEqual([
    'https://app.example',
  ]);
});

test.each([
  [['--cors-origins', 'foo'], '--cors-origins: "foo" is not an origin'],
  [['--allowed-hosts', 'http://x'], '--allowed-hosts: "http://x" is not a host name'],
  [['--public-url', 'gateway.example'], '--public-url: "gateway.example" is not a server URL'],
  [['--public-url', '*'], '--public-url: "*" is not a server URL'],
  [['--otel-sampled', '2'], '--otel-sampled: "2" is not a number from 0 to 1'],
  [['--otel-sampled', 'abc'], '--otel-sampled: "abc" is not a number'],
  [['--otel-endpoint', 'foo'], '--otel-endpoint: expected a URL that starts with http'],
  [['--database-url', 'foo'], '--database-url: The database URL has no scheme.'],
  [['--cert-file', 'x.pem'], '--cert-file requires --key-file.'],
  [['--key-file', 'x.pem'], '--key-file requires --cert-file.'],
])('%j is an invalid command line', async (flags, message) => {
  await expect(read({}, { flags })).rejects.toThrow(UsageError);
  await expect(read({}, { flags })).rejects.toThrow(message);
});

test('if only one of two related variables is set, the error names both', async () => {
  await expect(read({}, { env: { GATEWAY_CERT_FILE: 'x.pem' } })).rejects.toThrow(
    'GATEWAY_CERT_FILE requires GATEWAY_KEY_FILE.',
  );
});

test('the initial pause cannot exceed the maximum', async () => {
  expect(await problems({ retries: { base_delay: '10s', max_delay: '1s' } })).toEqual([
    expect.stringMatching(/^1:\d+ {2}retries\.max_delay: must not be less than `base_delay`$/),
  ]);
  const retryOf = async (retries: object) => (await read({ retries })).models.routing.retry;
  expect(await retryOf({ base_delay: '10s' })).toMatchObject({ baseDelay: 10_000, maxDelay: 10_000 });
  expect(await retryOf({ max_delay: '50ms' })).toMatchObject({ baseDelay: 50, maxDelay: 50 });
  // The first call counts as an attempt.
  const retries = async (attempts: number): Promise<unknown> => (await retryOf({ attempts }))?.retries;
  expect([await retries(3), await retries(2), await retries(1), await retries(0)]).toEqual([2, 1, 0, 0]);
});

test('a data folder is never silently relative to the working directory', async () => {
  vi.stubEnv('HOME', '');
  expect(homedir()).toBe('');
  const path = join(userInfo().homedir, '.local/share/gateway/gateway.db');
  expect((await read({})).database).toEqual({ kind: 'sqlite', path });
  expect((await read({}, { env: { XDG_DATA_HOME: 'relative' } })).database).toEqual({ kind: 'sqlite', path });
  expect((await read({ data_dir: '~/here' })).database).toEqual({
    kind: 'sqlite',
    path: join(userInfo().homedir, 'here/gateway.db'),
  });
});

test('an unusable or unsafe sign-in is rejected', async () => {
  const sign_in = {
    issuer: 'http://login.example',
    client_id: 'gateway',
    public_url: 'https://gateway.example/path?x',
    scopes: ['email'],
    session: '169h',
    groups: { ops: {}, leads: { role: 'admin', team_role: 'admin' } },
  };
  expect(await problems({ sign_in })).toEqual([
    expect.stringMatching(/sign_in\.issuer: expected a URL that begins with https:\/\/ /),
    expect.stringMatching(
      /sign_in\.public_url: expected a URL that begins with https:\/\/ .*without a query$/,
    ),
    expect.stringMatching(/sign_in\.scopes: must contain openid$/),
    expect.stringMatching(/sign_in\.session: expected a time from 1m to 168h$/),
    expect.stringMatching(/sign_in\.groups\.ops: has neither `role` nor `team`; set at least one$/),
    expect.stringMatching(/sign_in\.groups\.leads\.team_role: requires `team`$/),
  ]);
  const good = {
    issuer: 'https://login.example/realms/acme',
    client_id: 'gateway',
    public_url: 'https://gateway.example/',
    groups: { leads: { team: 'research', team_role: 'admin' } },
  };
  expect((await read({ sign_in: { ...good, session: '1h' } })).signIn).toEqual({
    issuer: good.issuer,
    clientId: 'gateway',
    clientSecret: undefined,
    publicUrl: 'https://gateway.example',
    scopes: ['openid', 'profile', 'email'],
    userClaim: 'sub',
    groupsClaim: 'groups',
    createUsers: false,
    sessionMs: 3_600_000,
    groups: [{ group: 'leads', role: undefined, team: 'research', teamRole: 'admin' }],
  });
  expect((await read({})).signIn).toBe(undefined);
});

test('unusable or unsafe workloads are rejected', async () => {
  const issuer = 'https://issuer.example';
  const good = { issuer, audience: 'llm', rules: [{ claims: { sub: 'a' } }] };
  const workloads = {
    Bad: {
      ...good,
      issuer: 'http://issuer.example',
      key_duration: '25h',
      jwks_url: 'http://x',
      jwks_file: 'k',
    },
    one: good,
    two: good,
    rules: {
      issuer: 'https://other.example',
      audience: ['llm'],
      rules: [
        { claims: { sub: '' }, user: '{sub}', budget_duration: '1h' },
        { claims: { sub: {} }, user: 'ci/{sub' },
        { claims: { a: { b: [] } }, max_budget: -1 },
        { claims: { sub: 'x' }, user: 'ci/{a}{b}' },
      ],
    },
  };
  expect(await problems({ workloads })).toEqual(
    [
      /workloads\.Bad: expected a name of at most 40 lowercase letters, digits and hyphens$/,
      /workloads\.Bad\.issuer: expected a URL that begins with https/,
      /workloads\.Bad\.key_duration: expected a time from 1m to 24h$/,
      /workloads\.Bad\.jwks_file: conflicts with `jwks_url`; keep one of them$/,
      /workloads\.two\.issuer: is also the issuer of `one`; combine their rules$/,
      /workloads\.rules\.rules\.0\.claims\.sub: expected a pattern, a list of patterns, or a mapping of claims$/,
      /workloads\.rules\.rules\.0\.user: must begin with text, e\.g\. `ci\/\{sub\}`$/,
      /workloads\.rules\.rules\.0\.budget_duration: requires `max_budget`$/,
      /workloads\.rules\.rules\.1\.claims\.sub: expected a pattern/,
      /workloads\.rules\.rules\.1\.user: has unmatched braces; write claims as `\{name\}`$/,
      /workloads\.rules\.rules\.2\.claims\.a\.b: expected a pattern/,
      /workloads\.rules\.rules\.2\.max_budget: expected an amount in dollars of at least 0/,
      /workloads\.rules\.rules\.3\.user: must have text between two claims/,
    ].map((pattern) => expect.stringMatching(pattern)),
  );
  expect(await problems({ workloads: { a: { ...good, rules: [{ claims: {} }] } } })).toEqual([
    expect.stringMatching(/claims/),
  ]);
  expect((await read({ workloads: { ci: good } })).workloads).toEqual([
    {
      name: 'ci',
      issuer,
      audiences: ['llm'],
      keys: undefined,
      keyMs: 3_600_000,
      maxUsers: 1000,
      rules: [{ claims: { sub: ['a'] }, user: 'ci/{sub}', team: null, settings: {} }],
    },
  ]);
});
