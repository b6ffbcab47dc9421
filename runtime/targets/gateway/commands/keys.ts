import type { Static } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { shellWord } from '#core/text/shell-word.ts';
import { parseSpan } from '#core/time/time-span.ts';
import {
  type Output,
  type Invocation,
  UsageError,
  type Command,
  type CommandGroup,
} from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { type Key, type Keys, KEY_SCOPES, type Users } from '../accounts/identity/identity.ts';
import { KEY_ORDERS, KEY_STATUSES } from '../accounts/identity/list-queries.ts';
import type { ownKey } from '../api/keys-schemas.ts';
import { createdKeyView, keyView } from '../api/views/accounts.ts';
import { nanosOf } from '../shared/money.ts';
import { listAll } from '../store/list-all.ts';
import { CLIENT_OPTIONS } from './experiment/client-options.ts';
import { withGateway } from './experiment/with-gateway.ts';
import { warnAboutModels, budgetOptionsOf, KEY_OPTIONS, keyFields, mergeBudget } from './keys-options.ts';
import { optionValue, requireChanges, readToggle } from './options/changes.ts';
import { listOptions, listOptionsOf } from './options/list-options.ts';
import { spanRule } from './options/time-options.ts';
import {
  budgetText,
  formatDollars,
  formatTime,
  modelsText,
  orDash,
  thresholdsText,
  limitRecord,
  printResult,
  recordLines,
} from './show/format-values.ts';
import { findOne } from './store/find-one.ts';
import { type StoreContext, storeCommand } from './store/store-command.ts';

/** Finds a key by its id, its name, or the prefix of its secret that lists show. */
export const findKey = async (keys: Keys, text: string): Promise<Key> =>
  findOne(text, await listAll(keys), {
    kind: 'key',
    list: 'gateway keys list',
    idOf: ({ id }) => id,
    namesOf: ({ keyName, keyPrefix }) => [keyName, keyPrefix],
  });

/** Prints everything about a key except its secret. */
function showKey(key: Key, { output, json }: Pick<StoreContext, 'output' | 'json'>): void {
  if (json) printJson(output, keyView(key));
  else printLines(output, recordLines(recordOf(key)));
}

/** Prints only the secret to stdout, so that scripts can capture it. With `--json`, it is a member of the key. */
function showSecret(
  created: { readonly key: Key; readonly secret: string },
  message: string,
  { output, json }: { readonly output: Output; readonly json: boolean },
): void {
  output.err(`${message} The key is shown only once:\n`);
  if (json) printJson(output, createdKeyView(created));
  else output.out(`${created.secret}\n`);
}

const recordOf = (key: Key): Record<string, string> => ({
  id: key.id,
  name: orDash(key.keyName),
  key: `${key.keyPrefix}…`,
  user: key.userId,
  team: orDash(key.teamId),
  scope: key.scope,
  status: key.status,
  models: modelsText(key.allowedModels),
  spent: formatDollars(key.spent),
  budget: key.budget === null ? '-' : budgetText(key.budget),
  'alerts at': key.budget === null ? '-' : thresholdsText(key.budget.alertThresholds),
  ...limitRecord(key),
  'prompts stored': key.logPrompts === null ? 'default' : key.logPrompts ? 'on' : 'off',
  created: formatTime(key.createdAt),
  expires: formatTime(key.expiresAt),
  'last used': formatTime(key.lastUsedAt),
  metadata: JSON.stringify(key.metadata),
});

const listKeysCommand = storeCommand({
  summary: 'List the keys, without their secrets.',
  options: {
    user: { value: 'user_id', help: 'Only keys of this user' },
    team: { value: 'team_id', help: 'Only keys of this team' },
    status: {
      value: 'status',
      help: 'Only keys with this status',
      choices: KEY_STATUSES,
    },
    ...listOptions('keys', 'name, prefix, id or user', KEY_ORDERS),
  },
  prepare(invocation) {
    const query = {
      userId: invocation.value('user'),
      teamId: invocation.value('team'),
      status: KEY_STATUSES.find((status) => status === invocation.value('status')),
      ...listOptionsOf(invocation, KEY_ORDERS),
    };
    return async ({ state, output, json }) => {
      const keys = await listAll(state.identity.keys, query);
      if (json) {
        printJson(output, keys.map(keyView));
      } else if (keys.length === 0) {
        output.err('No keys found. Create one with `gateway keys create`.\n');
      } else {
        printLines(output, formatTable(COLUMNS, keys.map(row), stdoutTerminal()));
      }
    };
  },
});

const COLUMNS = ['ID', 'NAME', 'KEY', 'USER', 'TEAM', 'STATUS', 'SPENT', 'BUDGET', 'EXPIRES', 'LAST USED'];
const STYLES = { active: 'green', inactive: 'dim', expired: 'yellow' } as const;

const row = (key: Key): Parameters<typeof formatTable>[1][number] => [
  key.id,
  orDash(key.keyName),
  `${key.keyPrefix}…`,
  key.userId,
  orDash(key.teamId),
  { text: key.status, style: STYLES[key.status] },
  formatDollars(key.spent),
  key.budget === null ? '-' : budgetText(key.budget),
  formatTime(key.expiresAt),
  formatTime(key.lastUsedAt),
];

const getKeyCommand = storeCommand({
  summary: 'Show a key, without its secret.',
  positionals: '<id|name|prefix>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    return async ({ state, output, json }) => {
      showKey(await findKey(state.identity.keys, text), { output, json });
    };
  },
});

/**
 * `keys create` prints the key, which is not stored.
 *
 * @internal Exported for tests.
 */
export const createKeyCommand = storeCommand({
  summary: 'Create a key. Only the key is printed to stdout, so $(gateway keys create) works.',
  options: {
    user: {
      value: 'user_id',
      help: 'Owner of the key, created if missing',
      defaultText: 'a new user for this key',
    },
    team: { value: 'team_id', help: 'Team whose budget, limits and models apply too', defaultText: 'none' },
    scope: {
      value: 'scope',
      help: 'models: call models; manage: manage the gateway with the role of the owner',
      choices: KEY_SCOPES,
      defaultText: 'models',
    },
    ...KEY_OPTIONS,
    expires: { ...KEY_OPTIONS.expires, defaultText: 'never' },
    model: { ...KEY_OPTIONS.model, defaultText: 'all' },
    budget: { ...KEY_OPTIONS.budget, defaultText: 'no limit' },
    'budget-every': { ...KEY_OPTIONS['budget-every'], defaultText: 'no reset' },
  },
  prepare(invocation) {
    const fields = keyFields(invocation, Date.now());
    const budget = mergeBudget(budgetOptionsOf(invocation), null);
    const userId = invocation.value('user');
    const teamId = invocation.value('team');
    const scope = KEY_SCOPES.find((known) => known === invocation.value('scope'));
    return async ({ state, models, output, json }) => {
      await warnAboutModels(fields.allowedModels, { models, state, output });
      const { users, keys } = state.identity;
      const isNew = userId === undefined || !(await exists(users, userId));
      const created = await keys
        .create({ ...fields, budget, userId, teamId, scope })
        .catch((error: unknown) => {
          throw withRemedy(error, userId);
        });
      const { id, userId: owner } = created.key;
      showSecret(created, `Created key ${id} for ${isNew ? 'the new ' : ''}user ${owner}.`, { output, json });
    };
  },
});

async function exists(users: Users, userId: string): Promise<boolean> {
  try {
    return (await users.get(userId)).userId === userId;
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return false;
    throw error;
  }
}

/** A deleted user is not restored automatically, because it can have been deleted to disable its keys. */
function withRemedy(error: unknown, userId = ''): unknown {
  if (!(error instanceof AppError) || error.reason !== 'user_not_found') return error;
  const command = `gateway users create ${shellWord(userId)}`;
  return new AppError(
    error.code,
    `User ${JSON.stringify(userId)} was deleted. Restore it with \`${command}\`.`,
    {
      cause: error,
    },
  );
}

const updateKeyCommand = storeCommand({
  summary: 'Change, disable or enable a key. A running gateway applies the change within a second.',
  positionals: '<id|name|prefix>',
  options: {
    activate: { help: 'Enable the key' },
    deactivate: { help: 'Disable the key' },
    'any-model': { help: 'Allow all models' },
    ...KEY_OPTIONS,
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    const fields = {
      ...keyFields(invocation, Date.now()),
      isActive: readToggle(invocation, 'activate', 'deactivate'),
    };
    const allowedModels = anyModel(invocation) ? null : fields.allowedModels;
    const budgetOptions = budgetOptionsOf(invocation);
    requireChanges({ ...fields, ...budgetOptions, allowedModels });
    return async ({ state, models, output, json }) => {
      const { identity } = state;
      await warnAboutModels(allowedModels, { models, state, output });
      const { id, budget: before } = await findKey(identity.keys, text);
      const budget = mergeBudget(budgetOptions, before);
      const key = await identity.keys.change(id, { ...fields, allowedModels, budget });
      showKey(key, { output, json });
    };
  },
});

function anyModel(invocation: Invocation): boolean {
  const any = invocation.flag('any-model');
  if (any && invocation.given('model'))
    throw new UsageError('--model conflicts with --any-model; use one of them.');
  return any;
}

/** `keys rotate` replaces the secret of a key, which keeps its limits and its spending. */
const rotateKeyCommand = storeCommand({
  summary: 'Replace the secret of a key. Only the new key is printed to stdout.',
  positionals: '<id|name|prefix>',
  options: {
    grace: { value: 'time', help: 'How long the old secret stays valid, e.g. 1h (default: not at all)' },
  },
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    const grace = optionValue(invocation, 'grace', {
      rule: spanRule('a number with a unit s, m, h, d or w, e.g. 1h'),
      parse: parseSpan,
    });
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      const rotated = await identity.keys.rotate(id, (grace ?? 0) / 1000);
      const old = grace
        ? `the old one stays valid for ${invocation.value('grace')}`
        : 'the old one is no longer valid';
      showSecret(rotated, `Key ${id} has a new secret; ${old}.`, { output, json });
    };
  },
});

const deleteKeyCommand = storeCommand({
  summary: 'Delete a key permanently. Its usage is kept.',
  positionals: '<id|name|prefix>',
  options: {},
  prepare(invocation) {
    const [text] = exactly(invocation, '<id|name|prefix>');
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      await identity.keys.delete(id);
      printResult({ output, json }, { id, deleted: true }, `Deleted key ${id}.`);
    };
  },
});

type OwnKey = Static<typeof ownKey>;
type Account = OwnKey['quota']['user'];

const OPTIONS = { ...JSON_OPTION, ...CLIENT_OPTIONS };

/** `keys me` needs only a key, for users without access to the database. */
const ownKeyCommand: Command = {
  summary: 'Show the remaining quota of your own key, from a running gateway.',
  options: OPTIONS,
  async run(invocation, output) {
    for (const [name, variable] of REQUIRED) {
      if (invocation.value(name) === undefined) throw new UsageError(`Set ${variable} or --${name}.`);
    }
    const key = await withGateway(
      invocation,
      OPTIONS,
      async (client) => (await client.json('GET', '/v1/keys/me')) as OwnKey,
    );
    if (invocation.flag('json')) printJson(output, key);
    else printLines(output, recordLines(ownRecordOf(key)));
    return 0;
  },
};

const REQUIRED = [
  ['url', 'GATEWAY_URL'],
  ['api-key', 'GATEWAY_API_KEY'],
] as const;

const ownRecordOf = (key: OwnKey): Record<string, string> => ({
  id: key.id,
  name: orDash(key.key_name),
  key: `${key.key_prefix}…`,
  user: orDash(key.user_id),
  team: orDash(key.team_id),
  status: key.status,
  models: modelsText(key.allowed_models),
  expires: orDash(key.expires_at),
  ...accountRecord('key', key.quota.key),
  ...accountRecord('user', key.quota.user),
  ...(key.quota.team && accountRecord('team', key.quota.team)),
  ...(key.quota.organization && accountRecord('organization', key.quota.organization)),
});

const accountRecord = (owner: string, account: Account): Record<string, string> => ({
  [`${owner}: spent`]: amountText(account.spend),
  [`${owner}: remaining`]: account.remaining === null ? 'unlimited' : amountText(account.remaining),
  [`${owner}: budget resets`]: orDash(account.next_budget_reset_at),
  [`${owner}: requests per minute`]: useText(account.requests),
  [`${owner}: tokens per minute`]: useText(account.tokens),
  [`${owner}: concurrent requests`]: useText(account.parallel),
});

const amountText = (amount: number): string => formatDollars(nanosOf(amount) ?? 0n);

const useText = ({ used, limit }: Account['requests']): string =>
  limit === null ? String(used) : `${used} of ${limit}`;

export const KEY_COMMANDS: CommandGroup = {
  summary: 'Manage API keys.',
  commands: {
    create: createKeyCommand,
    list: listKeysCommand,
    get: getKeyCommand,
    me: ownKeyCommand,
    update: updateKeyCommand,
    rotate: rotateKeyCommand,
    delete: deleteKeyCommand,
  },
};
