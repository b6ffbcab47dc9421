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
