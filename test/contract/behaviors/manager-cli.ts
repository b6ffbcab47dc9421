import type { Behaviors } from './behavior.ts';

/** What the command line of mcp-manager promises. */
export const MANAGER_CLI = {
  'mcli:init': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`init` creates a file without servers, unless it exists.',
  },
  'mcli:add': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior:
      '`add` adds a known server, a program, a package or an address; values that may be secret go into the secrets file.',
  },
  'mcli:add:install': {
    source: 'docs/mcp-manager-cli.md#installation',
    behavior:
      '`add --install` installs the package with its progress; a failure has the cause and exit code 1, and the server stays.',
  },
  'mcli:add:url-variables': {
    source: 'docs/mcp-manager-cli.md#registries',
    behavior:
      '`add --var` fills in the variables of a URL in a registry; one without a value is an error that names it.',
  },
  'mcli:remove': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`remove` removes a server, even the last one, and its values on request.',
  },
  'mcli:list': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`list` shows the servers as a table, JSON or YAML, without values that may be secret.',
  },
  'mcli:validate': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`validate` reports all problems of both files together, without secrets, and exits with 1.',
  },
  'mcli:import': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`import` reads the JSON files of desktop clients and editors, and stores secrets separately.',
  },
  'mcli:export': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`export` replaces values by variables and lists them.',
  },
  'mcli:config:secrets': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config args|env|headers|volumes` set, list, remove and clear values of the secrets file.',
  },
  'mcli:config:names': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config tools|prompts|resources` set, list and remove what may be used.',
  },
  'mcli:config:groups': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config groups` lists, sets and removes groups, and shows the change first with --dry-run.',
  },
  'mcli:config:daemon': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config daemon` sets, gets, lists, removes and validates settings of the manager.',
  },
  'mcli:config:plugins': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config plugins` adds, lists, gets, sets, moves, removes and validates plugins.',
  },
  'mcli:config:preserved': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior:
      'Edits keep comments, order, line ends and placeholders: a line that is not meant stays as it is.',
  },
  'mcli:config:at-once': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior:
      'Commands that edit the same file at the same time all take effect, and one that was killed holds up none.',
  },
  'mcli:keys': {
    source: 'docs/mcp-manager-cli.md#api-keys',
    behavior: '`keys` creates a key and shows it once, lists keys without their values, and revokes them.',
  },
  'mcli:keys:at-once': {
    source: 'docs/mcp-manager-cli.md#api-keys',
    behavior: 'Keys made and revoked at the same time are all made and revoked.',
  },
  'mcli:search': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`search` finds known servers by text and by filters.',
  },
  'mcli:status': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`status` shows each server as a table, or as JSON.',
  },
  'mcli:tools': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`tools` lists the available tools, of one server or of all.',
  },
  'mcli:call': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`call` takes JSON or key=value pairs; if the tool fails, the exit code is 1.',
  },
  'mcli:call:stdin': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`call` takes its arguments from standard input.',
  },
  'mcli:prompts': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`prompts` lists prompts and `prompt` fills one in.',
  },
  'mcli:resources': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`resources` lists resources and `read` prints one.',
  },
  'mcli:logs': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`logs` prints the last log lines of a server.',
  },
  'mcli:logs:follow': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`logs -f` goes on with lines as they come.',
  },
  'mcli:restart': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`restart` restarts a server.',
  },
  'mcli:reload': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior:
      '`reload` makes the manager reload its files and reports the changes; an invalid file is rejected.',
  },
  'mcli:doctor': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`doctor` exits with 0 if it finds no problem, otherwise with 1 and a fix for each.',
  },
  'mcli:no-daemon': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior:
      'Without a manager, commands that need one report where they looked and what to do, in one sentence.',
  },
  'mcli:completion': {
    source: 'docs/mcp-manager-cli.md#other-commands',
    behavior: '`completion` prints a completion script for bash, zsh or fish that includes all commands.',
  },
  'mcli:help': {
    source: 'docs/mcp-manager-cli.md',
    behavior: 'Every command and group has help, which exits with 0.',
  },
  'mcli:unknown': {
    source: 'docs/mcp-manager-cli.md#other-commands',
    behavior: 'An unknown command or option exits with 2 and suggests the right one.',
  },
  'mcli:login-mistakes': {
    source: 'docs/mcp-manager-cli.md#sign-in-to-remote-servers',
    behavior:
      'login reports a server that is unknown, not remote, or does not need a sign-in, in one sentence with exit code 1.',
  },
  'mcli:reader-gone': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Closing the output early (for example with `head`) is not an error.',
  },
} as const satisfies Behaviors;
