import type { Behaviors } from './behavior.ts';

/** What the commands of gateway promise, those besides `serve` and `config`. */
export const GATEWAY_CLI = {
  'gcli:migrate': {
    source: 'docs/gateway-cli.md',
    behavior: '`migrate` creates the database once; a dry run prints the version and changes nothing.',
  },
  'gcli:keys': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`keys` makes, lists, shows, changes and deletes keys, by id, name or prefix.',
  },
  'gcli:keys:secret': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: 'A key is shown once, alone on stdout, when it is made or rotated, and nowhere else.',
  },
  'gcli:keys:running': {
    source: 'docs/gateway-cli.md',
    behavior: 'A running gateway accepts a new key immediately, and refuses a deactivated one.',
  },
  'gcli:keys:me': {
    source: 'docs/gateway-cli.md',
    behavior: '`keys me` shows what the key can still spend, without the database.',
  },
  'gcli:keys:models': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: 'A pattern of models that matches nothing in the configuration is reported, with a suggestion.',
  },
  'gcli:users': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`users` makes, lists, shows, changes, blocks and deletes users.',
  },
  'gcli:teams': {
    source: 'docs/gateway-cli.md#teams-and-sign-in',
    behavior:
      '`teams` and `orgs` make, list, show, change and delete both; `teams` also adds and removes members.',
  },
  'gcli:invitations': {
    source: 'docs/gateway-cli.md#teams-and-sign-in',
    behavior:
      '`invitations` lists, accepts and declines those of the user, and creates, lists and withdraws those of a team.',
  },
  'gcli:budgets': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`budgets` makes, lists, shows, changes and deletes budgets, which users are given.',
  },
  'gcli:alerts': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior:
      '`alerts list` shows alerts about budgets, and `alerts test` sends a signed message to the webhook; thresholds of a budget are set with `--alert-at`.',
  },
  'gcli:cache': {
    source: 'docs/gateway.md#cache',
    behavior:
      '`cache clear` deletes cached answers, of all keys or of one, and leaves an event in the audit log.',
  },
  'gcli:tags': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`tags` gives budgets to tags, and `usage` filters and sums by tag.',
  },
  'gcli:providers': {
    source: 'docs/gateway-cli.md#providers-and-aliases',
    behavior:
      '`providers` and `aliases` list those of the file and of the database, and create, change, test and delete the latter.',
  },
  'gcli:pricing:units': {
    source: 'docs/gateway-cli.md#prices',
    behavior: '`pricing set --unit` sets prices of web searches, images and other units.',
  },
  'gcli:pricing': {
    source: 'docs/gateway-cli.md#prices',
    behavior: '`pricing` sets, lists and deletes prices, and shows those of before.',
  },
  'gcli:pricing:cache': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing set` and `pricing import` set prices of cache writes and tiers; `pricing list` shows them.',
  },
  'gcli:pricing:published': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing search` and `pricing show` show published prices; `pricing update` replaces them from a file or an address, all or nothing.',
  },
  'gcli:pricing:import': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing import` takes CSV and JSON, all of a file or nothing, and reports all problems together.',
  },
  'gcli:usage': {
    source: 'docs/gateway-cli.md#usage',
    behavior: '`usage` shows requests, sums by group and over time, and CSV, of those that are asked for.',
  },
  'gcli:audit': {
    source: 'docs/gateway-cli.md#audit-log-and-stored-prompts',
    behavior:
      '`audit` shows who changed what, by which command or route, as a table, JSON and CSV, without secrets.',
  },
  'gcli:requests': {
    source: 'docs/gateway-cli.md#requests-and-guardrail-hits',
    behavior: '`requests` and `guardrails hits` show what the pages show.',
  },
  'gcli:doctor': {
    source: 'docs/gateway-cli.md#doctor',
    behavior: '`doctor` exits with 0 if all is well.',
  },
  'gcli:doctor:problems': {
    source: 'docs/gateway-cli.md#doctor',
    behavior: '`doctor` exits with 1 and reports problems with the way out, without secrets.',
  },
  'gcli:database': {
    source: 'docs/gateway-cli.md',
    behavior:
      'A database that cannot be used is reported in one sentence with the way out, and none is created.',
  },
  'gcli:mistakes': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: 'Missing, duplicate and ambiguous names are reported in one sentence with a suggestion.',
  },
  'gcli:at-once': {
    source: 'docs/gateway-cli.md',
    behavior: 'Commands that run at the same time all take effect.',
  },
  'gcli:postgres': {
    source: 'docs/gateway-cli.md',
    behavior: 'The same commands work on PostgreSQL.',
  },
  'gcli:settings': {
    source: 'docs/gateway-cli.md',
    behavior: 'Commands find the database as the server does: by flag, variable, file, data folder.',
  },
  'gcli:stdin': {
    source: 'docs/gateway-cli.md#prices',
    behavior: '`pricing import -` reads standard input: what `pricing list --json` printed, for example.',
  },
  'gcli:completion': {
    source: 'docs/gateway-cli.md',
    behavior: '`completion` prints a script for bash, zsh and fish that knows the commands.',
  },
  'gcli:help': {
    source: 'docs/gateway-cli.md',
    behavior: 'Every command and group has help, which exits with 0.',
  },
  'gcli:unknown': {
    source: 'docs/gateway-cli.md',
    behavior: 'An unknown command or option exits with 2 and suggests the right one.',
  },
  'gcli:version': {
    source: 'docs/gateway-cli.md',
    behavior: '`version` and `--version` print the name and the version.',
  },
  'gcli:reader-gone': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'A reader that stops early is not an error.',
  },
} as const satisfies Behaviors;
