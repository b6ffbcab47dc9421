import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverIdentity } from '#manager/saved-lists/server-identity.ts';
import { describeServers } from '#manager/config/describe-servers.ts';
import { problemsOf, remoteOf, resolve } from './resolve.ts';

const server = (keys: string): string => `[[servers]]\nname = "a"\ntools = ["*"]\n${keys}`;

test('an API has its settings from both files, with variables', () => {
  const { servers, secrets } = resolve({
    file: '/etc/manager/.mcpd.toml',
    servers: server(`openapi = "docs/\${NAME}.yaml"
[servers.api]
base_url = "https://\${NAME}.example/v1"
origins = ["https://uploads.example"]
variables = { region = "eu" }
include = ["tag:a"]
exclude = ["DELETE *"]
fixed = { version = "2" }
path_slashes = ["path"]
refresh = "1m"
credentials = { first = "\${TOKEN}" }
`),
    secrets: '[servers.a.credentials]\nsecond = "secret-2"\n',
    env: { NAME: 'notes', TOKEN: 'secret-1' },
  });
  expect(remoteOf(servers[0])).toEqual({
    kind: 'remote',
    transport: 'openapi',
    url: 'https://notes.example/v1',
    headers: {},
    api: {
      document: join('/etc/manager', 'docs/notes.yaml'),
      baseUrl: 'https://notes.example/v1',
      origins: ['https://uploads.example'],
      variables: { region: 'eu' },
      include: ['tag:a'],
      exclude: ['DELETE *'],
      fixed: { version: '2' },
      pathSlashes: ['path'],
      refreshMs: 60_000,
      credentials: { first: 'secret-1', second: 'secret-2' },
    },
  });
  expect(secrets.map(({ value }) => value)).toEqual(expect.arrayContaining(['secret-1', 'secret-2']));
});

test('credentials change neither the identity of an API nor its description', () => {
  const text = (value: string): string =>
    server(`openapi = "https://x.example/o.json"\n[servers.api.credentials]\nk = "${value}"\n`);
  const identity = (value: string): string => {
    const [spec] = resolve({ servers: text(value) }).servers;
    if (!spec) throw new Error('no server');
    return serverIdentity(spec);
  };
  expect(identity('one')).toBe(identity('two'));
  const [described] = describeServers({ path: '.mcpd.toml', text: text('one') }, undefined, false);
  expect(described).toMatchObject({ start: 'https://x.example/o.json', credentials: { k: '***' } });
});

test.each([
  ['openapi = "x.json"\nurl = "https://x.example"\n', 'it has url and openapi.'],
  ['openapi = "x.json"\ntransport = "sse"\n', 'transport conflicts with openapi; it requires url.'],
  [
    'url = "https://x.example"\n[servers.api]\ninclude = ["*"]\n',
    'api conflicts with url; it requires openapi.',
  ],
  ['command = "x"\n[servers.api]\ninclude = ["*"]\n', 'api conflicts with command; it requires openapi.'],
  ['openapi = "x.json"\nargs = ["x"]\n', 'args conflicts with openapi; it requires package or command.'],
  ['openapi = "x.json"\n[servers.api]\nbaseurl = "x"\n', 'unknown key "baseurl". Did you mean base_url?'],
  [
    'openapi = "x.json"\n[servers.api]\nbase_url = "ftp://x"\n',
    'api.base_url must be a URL that starts with',
  ],
  ['openapi = "x.json"\n[servers.api]\norigins = ["x.example"]\n', 'origins cannot contain "x.example".'],
  ['openapi = "x.json"\n[servers.oauth]\nissuer = "https://id.example"\n', 'oauth requires api.base_url'],
  [
    'openapi = "x.json"\n[servers.api]\nbase_url = "https://x.example"\n[servers.oauth]\nclient_id = "x"\n',
    'oauth.issuer is missing.',
  ],
])('%j is a problem: %s', (keys, problem) => {
  expect(problemsOf({ servers: server(keys) }).join('\n')).toContain(problem);
});

test.each([
  ['file:///apis/pets%20one.yaml', '/apis/pets one.yaml'],
  ['FILE:///apis/pets.yaml', '/apis/pets.yaml'],
  ['file:/apis/pets.yaml', '/apis/pets.yaml'],
  ['file://localhost/apis/pets.yaml', '/apis/pets.yaml'],
  ['pets.yaml', '/etc/manager/pets.yaml'],
])('the document %s is the file %s', (written, path) => {
  const { servers } = resolve({
    file: '/etc/manager/.mcpd.toml',
    servers: server(`openapi = "${written}"\n`),
  });
  expect(remoteOf(servers[0]).api?.document).toBe(path);
});

test.each(['file://other/pets.yaml', 'file:pets%2fx.yaml', 'file:///a%00b'])(
  'the document %s is a problem',
  (written) => {
    expect(problemsOf({ servers: server(`openapi = "${written}"\n`) }).join()).toContain(
      `openapi: "${written}" is not a file on this machine. A file: URL must have three slashes and an absolute path, e.g. file:///apis/pets.yaml.`,
    );
  },
);

test('credentials in the secrets file require an API', () => {
  const secrets = '[servers.a.credentials]\nk = "v"\n';
  for (const keys of ['command = "x"\n', 'url = "https://x.example"\n']) {
    expect(problemsOf({ servers: server(keys), secrets }).join()).toContain(
      'credentials requires a server with openapi. Remove it.',
    );
  }
});
