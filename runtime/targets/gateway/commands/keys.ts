import type { Static } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { shellWord } from '#core/text/shell-word.ts';
import { parseSpan } from '#core/time/time-span.ts';
import { type Command, type CommandGroup, type Output, UsageError } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { printJson, printLines } from '#serve/cli/terminal.ts';
import { type Key, KEY_FIELDS, KEY_STATUSES } from '../accounts/fields/keys.ts';
import type { Users } from '../accounts/identity/identity.ts';
import { KEY_ORDERS } from '../accounts/identity/list-queries.ts';
import type { ownKey } from '../api/keys-schemas.ts';
import { createdKeyView, keyView } from '../api/views/accounts.ts';
import { inThisOrder } from '../shared/in-this-order.ts';
import { nanosOf } from '../shared/money.ts';
import { listAll } from '../store/list-all.ts';
import { CLIENT_OPTIONS } from './experiment/client-options.ts';
import { withGateway } from './experiment/with-gateway.ts';
import { optionValue } from './options/changes.ts';
import { changedFields, fieldOptions, newFields } from './options/field-options.ts';
import { listOptions, listOptionsOf } from './options/list-options.ts';
import { spanRule } from './options/time-options.ts';
import { fieldRecord } from './show/field-record.ts';
import {
  budgetText,
  formatDollars,
  formatTime,
  modelsText,
  orDash,
  recordLines,
} from './show/format-values.ts';
import { findKey } from './store/find-account.ts';
import { existingCommands } from './store/resource-commands.ts';
import { storeCommand } from './store/store-command.ts';
import { warnAboutModels } from './warn-about-models.ts';

/**
 * Only prints the secret to stdout, so that scripts can capture it. With `--json`, it is a member of the key
 * object.
 */
function showSecret(
  created: { readonly key: Key; readonly secret: string },
  message: string,
  { output, json }: { readonly output: Output; readonly json: boolean },
): void {
  output.err(`${message} The key is shown only once:\n`);
  if (json) printJson(output, createdKeyView(created));
  else output.out(`${created.secret}\n`);
}

const ARGUMENT = '<id|name|prefix>';
const STYLES = { active: 'green', inactive: 'dim', expired: 'yellow' } as const;

/** The order of flags in the help. */
const ORDER = {
  first: words(
    'activate deactivate any-model user team scope name expires model budget budget-every alert-at log-prompts',
  ),
  last: ['metadata'],
};

/** The order of lines in the output for a key. */
const LINES = {
  first: [
    ...words('id name key user team scope status models spent budget'),
    'alerts at',
    'requests per minute',
    'tokens per minute',
    'concurrent requests',
    'prompts stored',
  ],
  last: ['created', 'expires', 'last used', 'metadata'],
};

function words(text: string): readonly string[] {
  return text.split(' ');
}

/**
 * `keys create` prints the key, which is not stored.
 *
 * @internal Exported for tests.
 */
export const createKeyCommand = storeCommand({
  summary: 'Create a key. Only the key is printed to stdout, so $(gateway keys create) works.',
  options: fieldOptions(KEY_FIELDS, 'create', ORDER),
  prepare(invocation) {
    const given = newFields(KEY_FIELDS, invocation);
    return async ({ state, models, output, json }) => {
      const fields = await given.values(state);
      await warnAboutModels(fields.allowedModels, { models, state, output });
      const { users, keys } = state.identity;
      const { userId } = fields;
      const isNew = userId === undefined || !(await exists(users, userId));
      const created = await keys.create(fields).catch((error: unknown) => {
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

/** A deleted user is not restored automatically, because it may have been deleted to disable its keys. */
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

/** `keys rotate` replaces a key's secret; its limits and spending are kept. */
const rotateKeyCommand = storeCommand({
  summary: 'Replace the secret of a key. Only the new key is printed to stdout.',
  positionals: ARGUMENT,
  options: {
    grace: {
      value: 'time',
      help: 'How long the old secret stays valid, e.g. 1h (default: it is invalid immediately)',
    },
  },
  prepare(invocation) {
    const [text] = exactly(invocation, ARGUMENT);
    const grace = optionValue(invocation, 'grace', {
      rule: spanRule('a number with the unit s, m, h, d or w, e.g. 1h'),
      parse: parseSpan,
    });
    return async ({ state: { identity }, output, json }) => {
      const { id } = await findKey(identity.keys, text);
      const rotated = await identity.keys.rotate(id, (grace ?? 0) / 1000);
      const old = grace
        ? `the old secret stays valid for ${invocation.value('grace')}`
        : 'the old secret is no longer valid';
      showSecret(rotated, `Key ${id} has a new secret; ${old}.`, { output, json });
    };
  },
});

type OwnKey = Static<typeof ownKey>;
type Account = OwnKey['quota']['user'];

const OPTIONS = { ...JSON_OPTION, ...CLIENT_OPTIONS };

/** `keys me` only needs a key, for users without database access. */
const ownKeyCommand: Command = {
  summary: 'Show your own key’s remaining quota, as reported by a running gateway.',
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
  ...Object.fromEntries(
    (key.quota.limits ?? []).flatMap((limit, at) => Object.entries(limitRecord(limit, at))),
  ),
});

/** A further limit of a budget. */
const limitRecord = (
  limit: NonNullable<OwnKey['quota']['limits']>[number],
  at: number,
): Record<string, string> => ({
  [`limit ${at + 1}`]: limit.name,
  [`limit ${at + 1}: spent`]: amountText(limit.spend),
  [`limit ${at + 1}: remaining`]: amountText(limit.remaining ?? 0),
  [`limit ${at + 1}: resets`]: orDash(limit.next_budget_reset_at),
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

/** The other commands print no secrets. */
const COMMANDS = existingCommands<Key>({
  argument: ARGUMENT,
  find: async ({ state }, text) => await findKey(state.identity.keys, text),
  view: keyView,
  record: (key) =>
    inThisOrder(
      {
        ...fieldRecord(KEY_FIELDS, key, { first: [] }),
        key: `${key.keyPrefix}…`,
        budget: key.budget === null ? '-' : budgetText(key.budget),
      },
      LINES.first,
      LINES.last,
    ),
  list: {
    summary: 'List the keys, without their secrets.',
    options: {
      user: { value: 'user_id', help: 'Only keys of this user' },
      team: { value: 'team_id', help: 'Only keys of this team' },
      status: { value: 'status', help: 'Only keys with this status', choices: KEY_STATUSES },
      ...listOptions('keys', 'name, prefix, id or user', KEY_ORDERS),
    },
    prepare(invocation) {
      const query = {
        userId: invocation.value('user'),
        teamId: invocation.value('team'),
        status: KEY_STATUSES.find((status) => status === invocation.value('status')),
        ...listOptionsOf(invocation, KEY_ORDERS),
      };
      return async ({ state }) => await listAll(state.identity.keys, query);
    },
    none: 'No keys found. Create one with `gateway keys create`.',
    heads: ['ID', 'NAME', 'KEY', 'USER', 'TEAM', 'STATUS', 'SPENT', 'BUDGET', 'EXPIRES', 'LAST USED'],
    rows: (keys) =>
      keys.map((key) => [
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
      ]),
  },
  get: { summary: 'Show a key, without its secret.' },
  update: {
    summary: 'Change, disable or enable a key. A running gateway applies the change within a second.',
    options: fieldOptions(KEY_FIELDS, 'update', ORDER),
    prepare(invocation, text) {
      const given = changedFields(KEY_FIELDS, invocation);
      return async ({ state, models, output }) => {
        const { keys } = state.identity;
        const key = await findKey(keys, text);
        const changes = await given.values(state, key);
        await warnAboutModels(changes.allowedModels, { models, state, output });
        return await keys.change(key.id, changes);
      };
    },
  },
  delete: {
    summary: 'Delete a key permanently. Its usage is kept.',
    async run(text, { state: { identity } }) {
      const { id } = await findKey(identity.keys, text);
      await identity.keys.delete(id);
      return [{ id }, `Deleted key ${id}.`];
    },
  },
});

export const KEY_COMMANDS: CommandGroup = {
  summary: 'Manage API keys.',
  commands: {
    create: createKeyCommand,
    list: COMMANDS.list,
    get: COMMANDS.get,
    me: ownKeyCommand,
    update: COMMANDS.update,
    rotate: rotateKeyCommand,
    delete: COMMANDS.delete,
  },
};
