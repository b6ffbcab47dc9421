import { expect, test } from 'vitest';
import { COMMON_FLAGS, type CommonFlag } from '#core/cli/common-flags.ts';
import { type Command, type Commands, isGroup, type Program } from '#serve/cli/command.ts';
import { findCommand } from '#serve/cli/find-command.ts';
import { optionTable, visibleOptions } from '#serve/cli/option-table.ts';
import { parseInvocation } from '#serve/cli/parse.ts';
import { encoderProgram } from '#encoder/program.ts';
import { gatewayProgram } from '#gateway/program.ts';
import { managerProgram } from '#manager/program.ts';

const PROGRAMS: readonly Program[] = [encoderProgram('', 'model.encoder'), managerProgram, gatewayProgram];
const TABLE: Readonly<Record<string, CommonFlag>> = COMMON_FLAGS;

function commandsOf(commands: Commands, above = ''): [path: string, command: Command][] {
  return Object.entries(commands).flatMap(([name, entry]) => {
    const path = `${above} ${name}`.trim();
    return isGroup(entry) ? commandsOf(entry.commands, path) : [[path, entry] as [string, Command]];
  });
}

const ALL = PROGRAMS.flatMap((program) =>
  commandsOf(program.commands).map(([path, command]) => ({ program, path, command })),
);

/** Flags that have the name of a common one and mean something else; each is in the contract of its program. */
const OTHER_MEANINGS = new Set([
  'model.encoder serve --api-key',
  'model.encoder mcp --api-key',
  'mcp-manager add --url',
  'mcp-manager config plugins add --config',
  'mcp-manager config plugins set --config',
  'mcp-manager config plugins add --url',
  'mcp-manager config plugins set --url',
  'mcp-manager config plugins move --force',
  // The name that keeps --config free for the settings of a plugin.
  'mcp-manager config plugins add --config-file',
  'mcp-manager config plugins set --config-file',
]);

test.each(ALL)('$program.name $path: flags of the table have its spelling', ({ program, path, command }) => {
  const shown = visibleOptions(optionTable(command.options, program.options).options);
  const old = new Set(Object.values(TABLE).flatMap(({ aliases = [] }) => aliases));
  for (const [name, option] of Object.entries(shown)) {
    const place = `${program.name} ${path} --${name}`;
    if (OTHER_MEANINGS.has(place)) continue;
    expect(old.has(name), `${place} has a common name`).toBe(false);
    const common = TABLE[name];
    if (!common) continue;
    expect({ place, value: option.value, short: option.short }).toEqual({
      place,
      value: common.value,
      short: common.short,
    });
    expect((option.aliases ?? []).map((alias) => alias.name)).toEqual(
      expect.arrayContaining([...(common.aliases ?? [])]),
    );
  }
});

/** Commands that change something or run on, and print no result of their own. */
const WITHOUT_RESULT =
  /^(?:model\.encoder (?:serve|mcp)|mcp-manager (?:daemon|serve|stdio|install|inspector|init|add|remove|import|export|config export)|mcp-manager config [a-z]+ (?:add|set|move|remove|clear)|gateway (?:serve|job run|experiment report)|.* completion)$/;

test.each(ALL)('$program.name $path has --json if it has a result', ({ program, path, command }) => {
  const place = `${program.name} ${path}`;
  expect(Object.hasOwn(command.options, 'json'), place).toBe(!WITHOUT_RESULT.test(place));
  expect(optionTable(command.options, program.options).options).toHaveProperty('json');
});

/** What scripts may hold: each line still means what it meant. */
const OLD_LINES: readonly [line: string, env: Record<string, string>, name: string, value: string][] = [
  ['model.encoder serve --drain-seconds 5', {}, 'shutdown-timeout', '5'],
  ['model.encoder serve', { ENCODERFILE_DRAIN_SECONDS: '5' }, 'shutdown-timeout', '5'],
  ['model.encoder mcp --http --hostname h', {}, 'host', 'h'],
  ['model.encoder mcp --http', { ENCODERFILE_MCP_HOSTNAME: 'h' }, 'host', 'h'],
  ['mcp-manager --config-file f list', {}, 'config', 'f'],
  ['mcp-manager list --config-file f', {}, 'config', 'f'],
  ['mcp-manager list', { MCPD_CONFIG_FILE: 'f' }, 'config', 'f'],
  ['mcp-manager list', { MCPD_RUNTIME_FILE: 'f' }, 'runtime-file', 'f'],
  ['mcp-manager status --addr a:1', {}, 'url', 'a:1'],
  ['mcp-manager status', { MCP_MANAGER_ADDR: 'a:1' }, 'url', 'a:1'],
  ['mcp-manager daemon --addr a:1', {}, 'addr', 'a:1'],
  ['mcp-manager daemon', { MCP_MANAGER_ADDR: 'a:1' }, 'addr', 'a:1'],
  ['mcp-manager daemon --timeout-api-shutdown 5s', {}, 'shutdown-timeout', '5s'],
  ['mcp-manager daemon', { MCP_MANAGER_TIMEOUT_API_SHUTDOWN: '5s' }, 'shutdown-timeout', '5s'],
  ['mcp-manager daemon --cors-enable --cors-allow-origin o', {}, 'cors-origins', 'o'],
  ['mcp-manager daemon', { MCP_MANAGER_CORS_ALLOW_ORIGIN: 'o' }, 'cors-origins', 'o'],
  ['mcp-manager daemon --log-level trace', {}, 'log-level', 'debug'],
  ['mcp-manager daemon', { MCPD_LOG_LEVEL: 'off' }, 'log-level', 'silent'],
  ['mcp-manager daemon', { MCPD_LOG_PATH: 'f' }, 'log-path', 'f'],
  ['mcp-manager export --overwrite', {}, 'force', 'true'],
  ['mcp-manager call --full', {}, 'json', 'true'],
  ['mcp-manager keys list --format json', {}, 'format', 'json'],
  ['gateway serve --max-body-bytes 9', {}, 'max-body', '9'],
  ['gateway serve', { GATEWAY_MAX_BODY_BYTES: '9' }, 'max-body', '9'],
  ['gateway serve --cors-allow-origins o', {}, 'cors-origins', 'o'],
  ['gateway serve', { GATEWAY_CORS_ALLOW_ORIGINS: 'o' }, 'cors-origins', 'o'],
];

test.each(OLD_LINES)('%s with %j still works', (line, env, name, value) => {
  const [programName, ...words] = line.split(' ');
  const program = PROGRAMS.find((candidate) => candidate.name === programName);
  if (!program) throw new Error(`no program ${programName}`);
  const { command, args } = findCommand(program, words);
  if (!command) throw new Error(`no command in ${line}`);
  expect(parseInvocation(command, args, env, program.options).value(name)).toBe(value);
});
