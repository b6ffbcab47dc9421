import type { Behaviors } from './behavior.ts';

/** Documented behavior of the gateway commands other than `serve` and `config`. */
export const GATEWAY_CLI = {
  'gcli:migrate': {
    source: 'docs/gateway-cli.md',
    behavior:
      '`migrate` creates the database once; a dry run prints the version and does not change the database.',
  },
  'gcli:keys': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`keys` creates, lists, shows, updates and deletes keys, by ID, name or prefix.',
  },
  'gcli:keys:secret': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: 'A key is shown once, alone on stdout, when it is created or rotated, and nowhere else.',
  },
  'gcli:keys:running': {
    source: 'docs/gateway-cli.md',
    behavior: 'A running gateway accepts a new key immediately, and immediately rejects a deactivated key.',
  },
  'gcli:keys:me': {
    source: 'docs/gateway-cli.md',
    behavior: "`keys me` shows the key's remaining budget without access to the database.",
  },
  'gcli:keys:models': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior:
      'A model pattern that does not match any model in the configuration is reported with a suggestion.',
  },
  'gcli:users': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`users` creates, lists, shows, updates, blocks and deletes users.',
  },
  'gcli:teams': {
    source: 'docs/gateway-cli.md#teams-and-sign-in',
    behavior:
      '`teams` and `orgs` create, list, show, update and delete teams and organizations; `teams` also adds and removes members.',
  },
  'gcli:invitations': {
    source: 'docs/gateway-cli.md#teams-and-sign-in',
    behavior:
      "`invitations` lists, accepts and declines a user's invitations, and creates, lists and withdraws a team's invitations.",
  },
  'gcli:budgets': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior:
      '`budgets` creates, lists, shows, updates, deletes and forecasts budgets, which can be assigned to users.',
  },
  'gcli:forecast': {
    source: 'docs/gateway.md#forecasts',
    behavior:
      '`budgets forecast` shows when a budget will be exhausted, based on the usage of complete days.',
  },
  'gcli:alerts': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior:
      "`alerts list` shows budget alerts, and `alerts test` sends a signed message to the webhook; `--alert-at` sets a budget's thresholds.",
  },
  'gcli:cache': {
    source: 'docs/gateway.md#cache',
    behavior:
      '`cache clear` deletes the cached responses of all keys or of one key, and writes an event to the audit log.',
  },
  'gcli:tags': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: '`tags` assigns budgets to tags, and `usage` filters and aggregates by tag.',
  },
  'gcli:providers': {
    source: 'docs/gateway-cli.md#providers-and-aliases',
    behavior:
      '`providers` and `aliases` list entries from the file and the database, and create, update, test and delete those in the database.',
  },
  'gcli:ab': {
    source: 'docs/how-to/ab-tests.md#read-the-verdict',
    behavior: '`aliases` creates and ends A/B tests, and `shadow` lists and shows them.',
  },
  'gcli:shadow': {
    source: 'docs/how-to/shadow.md#promote-the-candidate',
    behavior:
      '`shadow` lists and shows evaluations with their verdicts, and promotes a candidate; a running gateway then uses it.',
  },
  'gcli:pricing:units': {
    source: 'docs/gateway-cli.md#prices',
    behavior: '`pricing set --unit` sets prices for web searches, images and other units.',
  },
  'gcli:pricing': {
    source: 'docs/gateway-cli.md#prices',
    behavior: '`pricing` sets, lists and deletes prices, and shows their history.',
  },
  'gcli:pricing:cache': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing set` and `pricing import` set cache write prices and tiers; `pricing list` shows them.',
  },
  'gcli:pricing:published': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing search` and `pricing show` show published prices; `pricing update` replaces all published prices from a file or URL, or none if the file is invalid.',
  },
  'gcli:pricing:import': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing import` accepts CSV and JSON, imports a file completely or not at all, and reports all problems together.',
  },
  'gcli:usage': {
    source: 'docs/gateway-cli.md#usage',
    behavior: '`usage` shows matching requests and totals by group and over time, and can print CSV.',
  },
  'gcli:audit': {
    source: 'docs/gateway-cli.md#audit-log-and-stored-prompts',
    behavior:
      '`audit` shows each change with its actor and its command or route, as a table, JSON or CSV, and without secrets.',
  },
  'gcli:feedback': {
    source: 'docs/gateway-cli.md#feedback',
    behavior:
      '`feedback add` judges a request without a running gateway and replaces earlier feedback; secrets are removed.',
  },
  'gcli:requests': {
    source: 'docs/gateway-cli.md#requests-and-guardrail-hits',
    behavior: '`requests` and `guardrails hits` show the same data as the browser pages.',
  },
  'gcli:doctor': {
    source: 'docs/gateway-cli.md#doctor',
    behavior: '`doctor` exits with code 0 if it finds no problems.',
  },
  'gcli:doctor:problems': {
    source: 'docs/gateway-cli.md#doctor',
    behavior: '`doctor` exits with code 1 and reports problems with a fix, without secrets.',
  },
  'gcli:database': {
    source: 'docs/gateway-cli.md',
    behavior: 'An unusable database is reported in one sentence with a fix, and no database is created.',
  },
  'gcli:mistakes': {
    source: 'docs/gateway-cli.md#keys-users-budgets',
    behavior: 'Missing, duplicate and ambiguous names are reported in one sentence with a suggestion.',
  },
  'gcli:at-once': {
    source: 'docs/gateway-cli.md',
    behavior: 'Commands that run concurrently all take effect.',
  },
  'gcli:postgres': {
    source: 'docs/gateway-cli.md',
    behavior: 'The same commands work on PostgreSQL.',
  },
  'gcli:settings': {
    source: 'docs/gateway-cli.md',
    behavior:
      'Commands look for the database in the same places as the server: the flag, the variable, the file and the data folder.',
  },
  'gcli:stdin': {
    source: 'docs/gateway-cli.md#prices',
    behavior:
      '`pricing import -` reads from standard input, for example the output of `pricing list --json`.',
  },
  'gcli:completion': {
    source: 'docs/gateway-cli.md',
    behavior: '`completion` prints a completion script for bash, zsh or fish that includes all commands.',
  },
  'gcli:help': {
    source: 'docs/gateway-cli.md',
    behavior: 'Every command and group has help, which exits with code 0.',
  },
  'gcli:unknown': {
    source: 'docs/gateway-cli.md',
    behavior: 'An unknown command or option exits with code 2 and suggests the right one.',
  },
  'gcli:version': {
    source: 'docs/gateway-cli.md',
    behavior: '`version` and `--version` print the program name and the version.',
  },
  'gcli:reader-gone': {
    source: 'docs/flags.md#output-and-exit-codes',
    behavior: 'Closing the output early, for example with `head`, does not cause an error.',
  },
} as const satisfies Behaviors;
