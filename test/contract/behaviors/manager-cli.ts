import type { Behaviors } from './behavior.ts';

/** What the command line of mcp-manager promises. */
export const MANAGER_CLI = {
  'mcli:init': {
    source: 'manager reference 1.10',
    behavior: '`init` creates a file without servers, once.',
  },
  'mcli:add': {
    source: 'issue "In particular" 3',
    behavior:
      '`add` writes a known server, a program, a package or an address; what may be secret goes into the secrets file.',
  },
  'mcli:add:install': {
    source: 'docs/mcp-manager-cli.md, Installation',
    behavior:
      '`add --install` installs the package with its progress; a failure has the cause and exit code 1, and the server stays.',
  },
  'mcli:add:url-variables': {
    source: 'docs/mcp-manager-cli.md, Registries',
    behavior:
      '`add --var` fills in the variables of a URL in a registry; one without a value is an error that names it.',
  },
  'mcli:remove': {
    source: 'manager reference 1.10',
    behavior: '`remove` removes a server, the last one too, and its values on request.',
  },
  'mcli:list': {
    source: 'design "Services decided"',
    behavior: '`list` shows the servers as table, JSON or YAML, and no value that may be a secret.',
  },
  'mcli:validate': {
    source: 'manager reference 5.23',
    behavior:
      '`validate` reports all problems of both files together and exits with 1; no secret is in them.',
  },
  'mcli:import': {
    source: 'issue "In particular" 3',
    behavior: '`import` brings in the JSON files of desktop clients and editors, secrets apart.',
  },
  'mcli:export': {
    source: 'manager reference 1.9',
    behavior: '`export` writes variables for values, and the list of them.',
  },
  'mcli:config:secrets': {
    source: 'manager reference 1.10',
    behavior: '`config args|env|headers|volumes` set, list, remove and clear values of the secrets file.',
  },
  'mcli:config:names': {
    source: 'manager reference 1.10',
    behavior: '`config tools|prompts|resources` set, list and remove what may be used.',
  },
  'mcli:config:groups': {
    source: 'issue 23, 4',
    behavior: '`config groups` lists, sets and removes groups, and shows the change first with --dry-run.',
  },
  'mcli:config:daemon': {
    source: 'manager reference 1.10',
    behavior: '`config daemon` sets, gets, lists, removes and validates settings of the manager.',
  },
  'mcli:config:plugins': {
    source: 'manager reference 1.10',
    behavior: '`config plugins` adds, lists, gets, sets, moves, removes and validates plugins.',
  },
  'mcli:config:preserved': {
    source: 'manager reference 3, D-7',
    behavior:
      'Edits keep comments, order, line ends and placeholders: a line that is not meant stays as it is.',
  },
  'mcli:config:at-once': {
    source: 'issue "In particular" 6',
    behavior:
      'Commands that edit the same file at the same time all take effect, and one that was killed holds up none.',
  },
  'mcli:keys': {
    source: 'manager reference 5.17',
    behavior: '`keys` creates a key that is shown once, lists keys without them, and revokes them.',
  },
  'mcli:keys:at-once': {
    source: 'manager reference 5.17',
    behavior: 'Keys made and revoked at the same time are all made and revoked.',
  },
  'mcli:search': {
    source: 'manager reference 1.11',
    behavior: '`search` finds known servers by text and filters.',
  },
  'mcli:status': {
    source: 'manager reference 5.23',
    behavior: '`status` shows each server as a table, or as JSON.',
  },
  'mcli:tools': {
    source: 'manager reference 5.23',
    behavior: '`tools` lists what can be called, of one server or of all.',
  },
  'mcli:call': {
    source: 'manager reference 5.23',
    behavior: '`call` takes JSON or key=value pairs; a tool that fails makes the exit code 1.',
  },
  'mcli:call:stdin': {
    source: 'manager reference 5.23',
    behavior: '`call` takes its arguments from standard input.',
  },
  'mcli:prompts': {
    source: 'design "Services decided"',
    behavior: '`prompts` and `prompt` list prompts and fill one in.',
  },
  'mcli:resources': {
    source: 'design "Services decided"',
    behavior: '`resources` and `read` list resources and print one.',
  },
  'mcli:logs': {
    source: 'manager reference 5.23',
    behavior: '`logs` prints the last lines of a server.',
  },
  'mcli:logs:follow': {
    source: 'manager reference 5.23',
    behavior: '`logs -f` goes on with lines as they come.',
  },
  'mcli:restart': {
    source: 'manager reference 5.23',
    behavior: '`restart` restarts a server.',
  },
  'mcli:reload': {
    source: 'manager reference 5.11',
    behavior:
      '`reload` makes the manager read its files again and reports what changed; a broken file is refused.',
  },
  'mcli:doctor': {
    source: 'manager reference 5.23',
    behavior: '`doctor` exits with 0 if all is well, else with 1 and the way out.',
  },
  'mcli:no-daemon': {
    source: 'style "Messages"',
    behavior:
      'Without a manager, commands that need one say where they looked and what to do, in one sentence.',
  },
  'mcli:completion': {
    source: 'manager reference 1.10',
    behavior: '`completion` prints a script for bash, zsh and fish that knows the commands.',
  },
  'mcli:help': {
    source: 'design "Services decided"',
    behavior: 'Every command and group has help, which exits with 0.',
  },
  'mcli:unknown': {
    source: 'design "Services decided"',
    behavior: 'An unknown command or option exits with 2 and suggests the right one.',
  },
  'mcli:login-mistakes': {
    source: 'issue 21',
    behavior:
      'login of a server that is unknown, is not a remote server or needs no sign-in is one sentence, and exit code 1.',
  },
  'mcli:reader-gone': {
    source: 'design "One product"',
    behavior: 'A reader that stops early is not an error.',
  },
} as const satisfies Behaviors;
