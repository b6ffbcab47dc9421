import type { Behaviors } from './behavior.ts';

/** What the commands of gateway promise, those besides `serve` and `config`. */
export const GATEWAY_CLI = {
  'gcli:migrate': {
    source: 'issue "In particular" 6',
    behavior: '`migrate` creates the database once; a dry run prints the version and changes nothing.',
  },
  'gcli:keys': {
    source: 'issue "In particular" 1',
    behavior: '`keys` makes, lists, shows, changes and deletes keys, by id, name or prefix.',
  },
  'gcli:keys:secret': {
    source: 'gateway spec 2',
    behavior: 'A key is shown once, alone on stdout, when it is made or rotated, and nowhere else.',
  },
  'gcli:keys:running': {
    source: 'issue "In particular" 1',
    behavior: 'A running gateway accepts a new key immediately, and refuses a deactivated one.',
  },
  'gcli:keys:me': {
    source: 'issue "In particular" 3',
    behavior: '`keys me` shows what the key can still spend, without the database.',
  },
  'gcli:keys:models': {
    source: 'gateway reference 4, row 24',
    behavior: 'A pattern of models that matches nothing in the configuration is reported, with a suggestion.',
  },
  'gcli:users': {
    source: 'issue "In particular" 1',
    behavior: '`users` makes, lists, shows, changes, blocks and deletes users.',
  },
  'gcli:teams': {
    source: 'issue 20, "Teams"',
    behavior:
      '`teams` and `orgs` make, list, show, change and delete both; `teams` also adds and removes members.',
  },
  'gcli:invitations': {
    source: 'issue 37, point 1',
    behavior:
      '`invitations` lists, accepts and declines those of the user, and creates, lists and withdraws those of a team.',
  },
  'gcli:budgets': {
    source: 'gateway reference 1.5',
    behavior: '`budgets` makes, lists, shows, changes and deletes budgets, which users are given.',
  },
  'gcli:alerts': {
    source: 'issue 20, "Money"',
    behavior:
      '`alerts list` shows alerts about budgets, and `alerts test` sends a signed message to the webhook; thresholds of a budget are set with `--alert-at`.',
  },
  'gcli:cache': {
    source: 'issue 20, "Teams"',
    behavior:
      '`cache clear` deletes cached answers, of all keys or of one, and leaves an event in the audit log.',
  },
  'gcli:tags': {
    source: 'issue 20, "Money"',
    behavior: '`tags` gives budgets to tags, and `usage` filters and sums by tag.',
  },
  'gcli:providers': {
    source: 'issue 20, "Teams"',
    behavior:
      '`providers` and `aliases` list those of the file and of the database, and create, change, test and delete the latter.',
  },
  'gcli:pricing:units': {
    source: 'issue 20, "Money"',
    behavior: '`pricing set --unit` sets prices of web searches, images and other units.',
  },
  'gcli:pricing': {
    source: 'gateway reference 1.5',
    behavior: '`pricing` sets, lists and deletes prices, and shows those of before.',
  },
  'gcli:pricing:cache': {
    source: 'ours: cache prices and tiers',
    behavior:
      '`pricing set` and `pricing import` set prices of cache writes and tiers; `pricing list` shows them.',
  },
  'gcli:pricing:published': {
    source: 'issue 20, "Money"',
    behavior:
      '`pricing search` and `pricing show` show published prices; `pricing update` replaces them from a file or an address, all or nothing.',
  },
  'gcli:pricing:import': {
    source: 'gateway reference 4, row 16',
    behavior:
      '`pricing import` takes CSV and JSON, all of a file or nothing, and reports all problems together.',
  },
  'gcli:usage': {
    source: 'gateway reference 4, row 17',
    behavior: '`usage` shows requests, sums by group and over time, and CSV, of those that are asked for.',
  },
  'gcli:audit': {
    source: 'issue 20, "Operators"',
    behavior:
      '`audit` shows who changed what, by which command or route, as a table, JSON and CSV, without secrets.',
  },
  'gcli:requests': {
    source: 'issue 23, part 2',
    behavior: '`requests` and `guardrails hits` show what the pages show.',
  },
  'gcli:doctor': {
    source: 'issue "In particular" 6',
    behavior: '`doctor` exits with 0 if all is well.',
  },
  'gcli:doctor:problems': {
    source: 'issue "In particular" 6',
    behavior: '`doctor` exits with 1 and reports problems with the way out, without secrets.',
  },
  'gcli:database': {
    source: 'style "Messages"',
    behavior:
      'A database that cannot be used is reported in one sentence with the way out, and none is created.',
  },
  'gcli:mistakes': {
    source: 'style "Messages"',
    behavior: 'Missing, duplicate and ambiguous names are reported in one sentence with a suggestion.',
  },
  'gcli:at-once': {
    source: 'issue "In particular" 4',
    behavior: 'Commands that run at the same time all take effect.',
  },
  'gcli:postgres': {
    source: 'issue "In particular" 4',
    behavior: 'The same commands work on PostgreSQL.',
  },
  'gcli:settings': {
    source: 'gateway reference 4, row 24',
    behavior: 'Commands find the database as the server does: by flag, variable, file, data folder.',
  },
  'gcli:stdin': {
    source: 'design "One product"',
    behavior: '`pricing import -` reads standard input: what `pricing list --json` printed, for example.',
  },
  'gcli:completion': {
    source: 'design "Services decided"',
    behavior: '`completion` prints a script for bash, zsh and fish that knows the commands.',
  },
  'gcli:help': {
    source: 'design "Services decided"',
    behavior: 'Every command and group has help, which exits with 0.',
  },
  'gcli:unknown': {
    source: 'design "Services decided"',
    behavior: 'An unknown command or option exits with 2 and suggests the right one.',
  },
  'gcli:version': {
    source: 'design "Services decided"',
    behavior: '`version` and `--version` print the name and the version.',
  },
  'gcli:reader-gone': {
    source: 'design "One product"',
    behavior: 'A reader that stops early is not an error.',
  },
} as const satisfies Behaviors;
