import { expect, test } from 'vitest';
import { findCommand } from '#serve/cli/find-command.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { managerProgram } from '#manager/program.ts';
import { readDaemonSettings } from '#manager/servers/settings.ts';

const EVERYWHERE = '--config-file=x --runtime-file=x --log-path=x --log-level=debug';
const CACHE = '--no-cache --refresh-cache --cache-dir=x --cache-ttl=1h';
const CORS =
  '--cors-enable --cors-allow-origin=a --cors-allow-origin=b,c --cors-allow-method=GET --cors-allow-header=x --cors-allow-header=y --cors-expose-header=x --cors-allow-credentials --cors-max-age=5m';
const TIMEOUTS =
  '--timeout-api-shutdown=5s --timeout-mcp-init=5s --timeout-mcp-health=1s --timeout-mcp-shutdown=5 --timeout-mcp-request=5s --interval-mcp-health=10s';

// The commands and flags of mcpd 0.4, as declared in its source. `add --format` is missing, because add prints no package.
test.each([
  ['add', `--version=1 --tool=t --runtime=npx --source=s --allow-deprecated ${CACHE}`],
  ['remove', ''],
  ['init', ''],
  ['inspector', ''],
  [
    'search',
    `--version=1 --runtime=npx --tool=t --license=l --source=s --tag=t --category=c --official --format=json ${CACHE}`,
  ],
  ['daemon', `--dev ${CORS} ${TIMEOUTS}`],
  ['daemon', '--addr=a:1'],
  ['config args set', '--merge-flags'],
  ['config args clear', '--force'],
  ['config args list', ''],
  ['config env clear', '--force'],
  ['config volumes clear', '--force'],
  ['config daemon list', '--available'],
  ['config export', '--context-output=x --contract-output=y --format=dotenv'],
  ['config tools list', `--format=json --all ${CACHE}`],
  ['config tools set', `--tool=x ${CACHE}`],
  ['config plugins add', '--category=authentication --flow=request --required --commit-hash=x'],
  ['config plugins get', '--category=authentication --name=x --format=json'],
  [
    'config plugins move',
    '--category=audit --name=x --to-category=content --before=y --after=z --position=1 --force',
  ],
  ['config plugins validate', '--category=audit --check-binaries --verbose'],
])("the command %s accepts mcpd's flags", (name, flags) => {
  const { command, args } = findCommand(managerProgram, name.split(' '));
  const words = `${flags} ${EVERYWHERE}`.trim().split(' ');
  const parsed = command && parseInvocation(command, [...args, ...words], {}, managerProgram.options);
  for (const flag of words)
    expect([flag, parsed?.given(flag.slice(2).split('=')[0] ?? '')]).toEqual([flag, true]);
});

test('repeated CORS flags are combined', () => {
  const { command } = findCommand(managerProgram, ['daemon']);
  if (!command) throw new Error('no command');
  const invocation = parseInvocation(command, CORS.replace('--cors-allow-credentials', '').split(/ +/), {});
  expect(readDaemonSettings(invocation, { HOME: '/h' }).daemon.cors).toMatchObject({
    origins: ['a', 'b', 'c'],
    methods: ['GET'],
    headers: ['x', 'y'],
    exposedHeaders: ['x'],
    maxAgeSeconds: 300,
  });
});
