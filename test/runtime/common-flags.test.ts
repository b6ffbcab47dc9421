import { expect, test } from 'vitest';
import { COMMON_FLAGS, type CommonFlag, INHERITED_NAMES } from '#core/cli/common-flags.ts';
import { type Command, type Commands, isGroup, type Program, UsageError } from '#serve/cli/command.ts';
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

/** Flags that exist only in an earlier program. If a flag has the same name as the option, its words are inherited. */
const INHERITED = new Set(
  Object.values(INHERITED_NAMES).flatMap((options) =>
    Object.entries(options).flatMap(([option, names]) =>
      names.flatMap(({ name }) => (name === undefined || name === option ? [] : [name])),
    ),
  ),
);

/** Flags with the name of a common flag but a different meaning; each is defined in the contract of its program. */
const OTHER_MEANINGS = new Set([
  'model.encoder serve --api-key',
  'model.encoder mcp --api-key',
  'mcp-manager add --url',
  'mcp-manager config plugins add --config',
  'mcp-manager config plugins set --config',
  'mcp-manager config plugins add --url',
  'mcp-manager config plugins set --url',
  'mcp-manager config plugins move --force',
  // This name leaves --config available for the settings of a plugin.
  'mcp-manager config plugins add --config-file',
  'mcp-manager config plugins set --config-file',
]);

test.each(ALL)(
  '$program.name $path: common flags have the same spelling in every command',
  ({ program, path, command }) => {
    const shown = visibleOptions(optionTable(command.options, program.options).options);
    for (const [name, option] of Object.entries(shown)) {
      const place = `${program.name} ${path} --${name}`;
      if (OTHER_MEANINGS.has(place)) continue;
      expect(INHERITED.has(name), `${place} has a common name`).toBe(false);
      const common = TABLE[name];
      if (!common) continue;
      expect({ place, value: option.value, short: option.short }).toEqual({
        place,
        value: common.value,
        short: common.short,
      });
    }
  },
);

/** Commands that change state or keep running, and do not print a result. */
const WITHOUT_RESULT =
  /^(?:model\.encoder (?:serve|mcp)|mcp-manager (?:secret (?:set|remove|clear)|daemon|serve|stdio|install|inspector|init|add|remove|import|export|config export)|mcp-manager config [a-z]+ (?:add|set|move|remove|clear)|gateway (?:serve|job run|experiment report)|.* completion)$/;

test.each(ALL)(
  '$program.name $path: a command with a result supports --json',
  ({ program, path, command }) => {
    const place = `${program.name} ${path}`;
    expect(Object.hasOwn(command.options, 'json'), place).toBe(!WITHOUT_RESULT.test(place));
    expect(optionTable(command.options, program.options).options).toHaveProperty('json');
  },
);

function parsed(line: string, env: Record<string, string>) {
  const [programName, ...words] = line.split(' ');
  const program = PROGRAMS.find((candidate) => candidate.name === programName);
  if (!program) throw new Error(`no program ${programName}`);
  const { command, args } = findCommand(program, words);
  if (!command) throw new Error(`no command in ${line}`);
  return parseInvocation(command, args, env, program.options);
}

/** Script lines for earlier programs, and the resulting settings. */
const INHERITED_LINES: readonly [line: string, env: Record<string, string>, name: string, value: string][] = [
  ['model.encoder mcp --http --hostname h', {}, 'host', 'h'],
  ['mcp-manager --config-file f list', {}, 'config', 'f'],
  ['mcp-manager list --config-file f', {}, 'config', 'f'],
  ['mcp-manager list', { MCPD_CONFIG_FILE: 'f' }, 'config', 'f'],
  ['mcp-manager list', { MCPD_RUNTIME_FILE: 'f' }, 'runtime-file', 'f'],
  ['mcp-manager daemon --addr a:1', {}, 'addr', 'a:1'],
  ['mcp-manager daemon --timeout-api-shutdown 5s', {}, 'shutdown-timeout', '5s'],
  ['mcp-manager daemon --cors-enable --cors-allow-origin o', {}, 'cors-origins', 'o'],
  ['mcp-manager daemon --cors-allow-method m', {}, 'cors-allow-methods', 'm'],
  ['mcp-manager daemon --cors-allow-header h', {}, 'cors-allow-headers', 'h'],
  ['mcp-manager daemon --cors-expose-header h', {}, 'cors-expose-headers', 'h'],
  ['mcp-manager daemon --log-level trace', {}, 'log-level', 'debug'],
  ['mcp-manager list --log-level off', {}, 'log-level', 'off'],
  ['mcp-manager daemon', { MCPD_LOG_LEVEL: 'off' }, 'log-level', 'silent'],
  ['mcp-manager daemon', { MCPD_LOG_PATH: 'f' }, 'log-path', 'f'],
  ['mcp-manager search --cache-ttl 2h', {}, 'registry-max-age', '2h'],
  ['mcp-manager list --format json', {}, 'format', 'json'],
  ['gateway serve', { GATEWAY_ENABLE_METRICS: 'true' }, 'metrics', 'open'],
  ['gateway serve', { GATEWAY_ENABLE_METRICS: '0' }, 'metrics', 'off'],
];

test.each(INHERITED_LINES)(
  'the inherited flags and variables in "%s" with %j are supported',
  (line, env, name, value) => {
    expect(parsed(line, env).value(name)).toBe(value);
  },
);

test('every inherited flag and variable is tested', () => {
  const written = INHERITED_LINES.map(([line, env]) => `${line} ${Object.keys(env).join(' ')}`).join('\n');
  const variables = Object.values(INHERITED_NAMES).flatMap((options) =>
    Object.values(options).flatMap((names) => names.flatMap(({ env }) => env ?? [])),
  );
  expect([...INHERITED].filter((name) => !written.includes(`--${name}`))).toEqual([]);
  expect(variables.filter((name) => !written.includes(name))).toEqual([]);
});

/** Names in builds before the first release, which no earlier program uses. */
test.each([
  'model.encoder serve --drain-seconds 5',
  'model.encoder serve --host h',
  'model.encoder serve --port 1',
  'mcp-manager status --addr a:1',
  'mcp-manager export --overwrite',
  'mcp-manager call --full',
  'mcp-manager keys list --format json',
  'mcp-manager daemon --cors-allow-origins o',
  'gateway serve --max-body-bytes 9',
  'gateway serve --cors-allow-origins o',
  'gateway serve --enable-metrics',
  'gateway serve --hostname h',
  'gateway serve --log-level off',
])('%s is rejected', (line) => {
  expect(() => parsed(line, {})).toThrow(UsageError);
});

test('an inherited option without a variable in the earlier program has none here', () => {
  for (const { command, program, path } of ALL)
    for (const [name, { env, origin }] of Object.entries(
      optionTable(command.options, program.options).options,
    )) {
      expect(origin === undefined || env === undefined, `${path} --${name} has no variable`).toBe(true);
    }
});
