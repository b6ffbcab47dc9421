import type { Static } from 'typebox';
import { nanosOf } from '../../shared/money.ts';
import { type Command, UsageError } from '#serve/cli/command.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import type { ownKey } from '../../api/keys-schemas.ts';
import { CLIENT_OPTIONS } from '../experiment/client-options.ts';
import { withGateway } from '../experiment/with-gateway.ts';
import { recordLines } from '../show/record-lines.ts';
import { formatDollars, modelsText, orDash } from '../show/format-values.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';

type OwnKey = Static<typeof ownKey>;
type Account = OwnKey['quota']['user'];

const OPTIONS = { ...JSON_OPTION, ...CLIENT_OPTIONS };

/** `keys me` needs only a key, for users without access to the database. */
export const ownKeyCommand: Command = {
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
    else printLines(output, recordLines(recordOf(key)));
    return 0;
  },
};

const REQUIRED = [
  ['url', 'GATEWAY_URL'],
  ['api-key', 'GATEWAY_API_KEY'],
] as const;

const recordOf = (key: OwnKey): Record<string, string> => ({
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
