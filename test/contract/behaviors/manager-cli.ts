import type { Behaviors } from './behavior.ts';

/** Documented behavior of the mcp-manager command line. */
export const MANAGER_CLI = {
  'mcli:init': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`init` creates a configuration file without servers, unless the file already exists.',
  },
  'mcli:add': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior:
      '`add` adds a known server, a program, a package or a URL, and stores possible secrets in the secrets file.',
  },
  'mcli:add:install': {
    source: 'docs/mcp-manager-cli.md#installation',
    behavior:
      '`add --install` installs the package and shows progress; if that fails, it reports the cause, exits with code 1 and keeps the server.',
  },
  'mcli:add:url-variables': {
    source: 'docs/mcp-manager-cli.md#registries',
    behavior:
      '`add --var` sets the variables in a registry URL; a variable without a value causes an error that names it.',
  },
  'mcli:add:openapi': {
    source: 'docs/how-to/rest-api.md#add-an-api',
    behavior:
      '`add --openapi` adds a REST API; it reports where calls go, which operations are not tools and which credentials are missing. A document without tools is rejected with the reason.',
  },
  'mcli:remove': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior:
      '`remove` removes a server, even if it is the last one; with --with-secrets, it also removes its values from the secrets file.',
  },
  'mcli:list': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`list` shows the servers as a table, JSON or YAML, without possible secrets.',
  },
  'mcli:validate': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior:
      '`validate` reports all problems of both files together, without secrets, and exits with code 1.',
  },
  'mcli:import': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`import` reads the JSON files of desktop clients and editors, and stores secrets separately.',
  },
  'mcli:export': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`export` replaces values with variables and lists these variables.',
  },
  'mcli:config:secrets': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config args|env|headers|volumes` sets, lists, removes and clears values in the secrets file.',
  },
  'mcli:config:names': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior: '`config tools|prompts|resources` sets, lists and removes the allowed items.',
  },
  'mcli:config:groups': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior:
      '`config groups` lists, sets and removes groups, and shows the changes without saving them with --dry-run.',
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
      'Edits keep comments, order, line endings and placeholders, and leave all other lines unchanged.',
  },
  'mcli:config:at-once': {
    source: 'docs/mcp-manager-cli.md#single-settings',
    behavior:
      'Concurrent edits of the same file all take effect, and a killed command does not block other commands.',
  },
  'mcli:keys': {
    source: 'docs/mcp-manager-cli.md#api-keys',
    behavior: '`keys` creates a key and shows it once, lists keys without their values, and revokes them.',
  },
  'mcli:keys:at-once': {
    source: 'docs/mcp-manager-cli.md#api-keys',
    behavior: 'Concurrent commands that create and revoke keys all take effect.',
  },
  'mcli:search': {
    source: 'docs/mcp-manager-cli.md#files',
    behavior: '`search` finds known servers by text and by filters.',
  },
  'mcli:status': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`status` shows each server in a table or as JSON.',
  },
  'mcli:tools': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`tools` lists the available tools of one server or of all servers.',
  },
  'mcli:call': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`call` accepts JSON or key=value pairs, and exits with code 1 if the tool fails.',
  },
  'mcli:findings': {
    source: 'docs/mcp-manager.md#injections',
    behavior:
      'findings lists possible injections with their places, doctor reports them, and release lets clients use a tool that is held because of one.',
  },
  'mcli:call:stdin': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`call` can read its arguments from standard input.',
  },
  'mcli:prompts': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`prompts` lists prompts, and `prompt` renders a prompt.',
  },
  'mcli:resources': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`resources` lists resources, and `read` prints a resource.',
  },
  'mcli:logs': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`logs` prints the last log lines of a server.',
  },
  'mcli:logs:follow': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`logs -f` prints new lines as they arrive.',
  },
  'mcli:restart': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: '`restart` restarts a server.',
  },
  'mcli:reload': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior: "`reload` reloads the manager's files and reports the changes; an invalid file is rejected.",
  },
  'mcli:doctor': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior:
      '`doctor` exits with code 0 if it finds no problems; otherwise, it exits with code 1 and suggests a fix for each problem.',
  },
  'mcli:no-daemon': {
    source: 'docs/mcp-manager-cli.md#a-running-manager',
    behavior:
      'If no manager is running, commands that need one report its address and a fix in one sentence.',
  },
  'mcli:completion': {
    source: 'docs/mcp-manager-cli.md#other-commands',
    behavior: '`completion` prints a completion script for bash, zsh or fish that includes all commands.',
  },
  'mcli:help': {
    source: 'docs/mcp-manager-cli.md',
    behavior: 'Every command and group has help, which exits with code 0.',
  },
  'mcli:unknown': {
    source: 'docs/mcp-manager-cli.md#other-commands',
    behavior: 'An unknown command or option exits with code 2 and suggests the right one.',
  },
  'mcli:login-mistakes': {
    source: 'docs/mcp-manager-cli.md#sign-in-to-remote-servers',
    behavior:
      '`login` reports a server that is unknown, not remote, or does not require a sign-in, in one sentence with exit code 1.',
  },
  'mcli:reader-gone': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Closing the output early, for example with `head`, does not cause an error.',
  },
} as const satisfies Behaviors;
