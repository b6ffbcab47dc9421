import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { npm, PAGES } from './registry-pages.ts';
import { workplace } from './workplace.ts';

const folder = useTempFolder();

async function opened() {
  const place = workplace(folder());
  await place.run('init');
  return place;
}

test('the values of variables in a registry URL are taken from --var or from their defaults', async () => {
  const { run, read, write, path } = await opened();
  write(
    'r.json',
    JSON.stringify({
      servers: PAGES[1]?.servers.filter((one) => !JSON.stringify(one).includes('com.example/broken')),
    }),
  );
  const servers = () => parse(read('.mcpd.toml'))['servers'];
  const add = (id: string, ...args: string[]) =>
    run('add', id, '--registry', path('r.json'), '--tool', '*', ...args);
  expect(await add('tenants')).toEqual({
    code: 1,
    out: '',
    err: expect.stringMatching(
      /^(?:Warning: .*\n)*Error: The URL of com\.example\/tenants has variables without a value: tenant \(Your subdomain\)\. Pass --var tenant=<value>\.\n$/,
    ),
  });
  expect((await add('tenants', '--var', 'tenant=acme', '--var', 'region=moon')).err).toContain(
    'Error: "moon" is not a valid value for the variable region. Choose one of: eu, us.',
  );
  expect((await add('tenants', '--var', 'Tenant=acme')).err).toContain(
    'Error: The URL of com.example/tenants has no variable "Tenant". Its variables: tenant, region.',
  );
  expect((await add('clock', '--var', 'tenant=acme')).err).toContain(
    'Error: --var requires a remote server, but io.modelcontextprotocol/clock is a package. Use --env, or `config args set`.',
  );
  expect(await run('add', 'x', '--var', 'a=b', '--tool', '*', '--', 'node')).toMatchObject({
    code: 2,
    err: expect.stringContaining('--var requires a server from a registry.'),
  });
  expect(servers()).toBeUndefined();

  const added = await add('tenants', '--var', 'tenant=$TENANT');
  expect(added.err).toContain(
    "The server requires the header Authorization. Run `mcp-manager config headers set tenants 'Authorization=Bearer <token>'`.\n",
  );
  const secret = await add('secret', '--var', 'token=hush');
  expect(secret.err).toContain('The url of secret may contain a secret and was stored in secrets.toml.');
  expect(servers()).toEqual([
    {
      name: 'tenants',
      // Only variables that the user wrote are read from this machine.
      url: 'https://$TENANT.example/eu/mcp',
      headers: { 'X-Client': 'any $$HOME' },
      tools: ['*'],
    },
    { name: 'secret', url: 'https://x.example/{token}/sse', transport: 'sse', tools: ['*'] },
  ]);
  expect(parse(read('secrets.toml'))).toEqual({
    servers: {
      tenants: { url: 'https://$TENANT.example/eu/mcp?price=$$5' },
      secret: { url: 'https://x.example/hush/sse' },
    },
  });
});

test('control characters and shell syntax from a registry are escaped in printed text and commands', async () => {
  const { run, write, path } = await opened();
  const evil = '\u001B[2J\u001B]0;x\u0007\u009B1A';
  write(
    'r.json',
    JSON.stringify({
      servers: [
        {
          name: 'com.example/evil',
          version: '1.0.0',
          packages: [
            npm('evil', '1.0.0', {
              environmentVariables: [{ name: "A' $(id) '", isRequired: true }],
              runtimeArguments: [{ type: 'positional', value: `--x${evil}` }],
              packageArguments: [{ type: 'positional', valueHint: '`id`', isRequired: true }],
            }),
          ],
        },
        { name: `com.example/bad${evil}`, version: '1.0.0', packages: [{ registryType: evil }] },
        {
          name: 'com.example/far',
          version: '1.0.0',
          remotes: [{ type: 'sse', url: 'https://{a}.example', variables: { a: { description: evil } } }],
        },
      ],
    }),
  );
  const add = (id: string) => run('add', id, '--tool', '*', '--registry', path('r.json'));
  const printed = [await add('evil'), await add('far'), await add(`com.example/bad${evil}`)]
    .map(({ err }) => err)
    .join('');
  expect(printed.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
  expect(printed).toContain(String.raw`config env set evil 'A'\'' $(id) '\''=<value>'`);
  expect(printed).toContain("config args set evil -- '`id`'");
});
