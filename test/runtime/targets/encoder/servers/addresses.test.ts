import { expect, test } from 'vitest';
import { UsageError } from '#serve/cli/command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { serveModelCommand } from '#encoder/commands/serve.ts';
import { readAddresses } from '#encoder/servers/addresses.ts';
import { exposureNotice } from '#encoder/servers/exposure.ts';

type Variables = Readonly<Record<string, string>>;
const read = (args: readonly string[], env: Variables = {}) =>
  readAddresses(parseInvocation(serveModelCommand(''), args, env));
const hostnames = (args: readonly string[], env: Variables = {}): readonly (string | undefined)[] => {
  const { http, grpc } = read(args, env);
  return [http?.hostname, grpc?.hostname];
};

const LOOPBACK = ['127.0.0.1', '127.0.0.1'];

test('the default addresses match the contract', () => {
  expect(read([])).toEqual({
    http: { hostname: '0.0.0.0', port: 8080, portFlag: '--http-port' },
    grpc: { hostname: '[::]', port: 50_051, portFlag: '--grpc-port' },
  });
  expect(hostnames(['--grpc-hostname', '10.0.0.1'])).toEqual(['0.0.0.0', '10.0.0.1']);
  expect(hostnames(['--http-hostname', '10.0.0.1'])).toEqual(['10.0.0.1', '[::]']);
});

test.each([
  [['--local'], {}, LOOPBACK],
  [[], { ENCODERFILE_LOCAL: 'true' }, LOOPBACK],
  [[], { ENCODERFILE_HTTP_HOSTNAME: '127.0.0.1' }, LOOPBACK],
  [['--http-hostname', '::1'], {}, ['::1', '::1']],
  [['--local', '--http-hostname', '[::1]'], {}, ['[::1]', '[::1]']],
  [['--local', '--grpc-hostname', 'localhost'], {}, ['127.0.0.1', 'localhost']],
  [['--local', '--disable-http'], {}, [undefined, '127.0.0.1']],
] as const)('%j with %j results in addresses that are not exposed', (args, env, expected) => {
  expect(hostnames(args, env)).toEqual(expected);
  expect(exposureNotice({ apiKeys: [], ...read(args, env) })).toBe(undefined);
});

test('an explicit address is kept', () => {
  const env = { ENCODERFILE_HTTP_HOSTNAME: '127.0.0.1', ENCODERFILE_GRPC_HOSTNAME: '[::]' };
  expect(hostnames([], env)).toEqual(['127.0.0.1', '[::]']);
});

test('--local with another address is rejected', () => {
  expect(() => read(['--local', '--http-hostname', '0.0.0.0'])).toThrow(
    new UsageError('--local conflicts with --http-hostname 0.0.0.0. Remove one of them.'),
  );
  expect(() => read([], { ENCODERFILE_LOCAL: '1', ENCODERFILE_GRPC_HOSTNAME: '::' })).toThrow(
    'ENCODERFILE_LOCAL conflicts with ENCODERFILE_GRPC_HOSTNAME ::. Remove one of them.',
  );
});

const FACT = (protocols: string): string =>
  `No API key is set, so anyone who can reach this machine over the network can use this model over ${protocols}.`;

test.each([
  [[], 'HTTP, MCP and gRPC'],
  [['--disable-grpc'], 'HTTP and MCP'],
  [['--grpc-hostname', '127.0.0.1'], 'HTTP and MCP'],
  [['--http-hostname', '127.0.0.1', '--grpc-hostname', '[::]'], 'gRPC'],
])('%j exposes %s, and the notice explains how to restrict access', (args, protocols) => {
  const notice = exposureNotice({ apiKeys: [], ...read(args) });
  expect(notice?.lines).toEqual([
    `  ${FACT(protocols)}`,
    '  To accept local requests only:  --local, or ENCODERFILE_HTTP_HOSTNAME=127.0.0.1',
    '  To require an API key:          ENCODERFILE_API_KEY, or --api-key-file',
  ]);
  expect(notice?.warning).toContain(FACT(protocols));
  expect(exposureNotice({ apiKeys: ['key'], ...read(args) })).toBe(undefined);
});

test('the notice of `mcp --http` names its flag --host', () => {
  const http = { hostname: '0.0.0.0', port: 9100, portFlag: '--port' };
  const { lines = [] } = exposureNotice({ apiKeys: [], http, grpc: undefined, mcpOnly: true }) ?? {};
  expect(lines.slice(0, 2)).toEqual([
    `  ${FACT('MCP')}`,
    '  To accept local requests only:  --host 127.0.0.1',
  ]);
});
