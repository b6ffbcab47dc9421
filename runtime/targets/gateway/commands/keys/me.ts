import type { Static } from 'typebox';
import { nanosOf } from '../../shared/money.ts';
import { type Command, UsageError } from '../../../../serve/cli/command.ts';
import { printJson, printLines } from '../../../../serve/cli/print.ts';
import type { ownKey } from '../../front/keys/schemas.ts';
import { GATEWAY_OPTIONS_OF_CLIENTS } from '../experiment/gateway-options.ts';
import { withGateway } from '../experiment/with-gateway.ts';
import { recordLines } from '../show/record-lines.ts';
import { dollars, orDash } from '../show/texts.ts';
import { JSON_OPTION } from '../../../../serve/cli/output-format.ts';

type OwnKey = Static<typeof ownKey>;
type Account = OwnKey['quota']['user'];

const OPTIONS = { ...JSON_OPTION, ...GATEWAY_OPTIONS_OF_CLIENTS };

/** For whoever has a key and no database. */
export const ownKeyCommand: Command = {
  summary: 'Show what your own key may still spend, at a gateway that runs.',
  options: OPTIONS,
  async run(invocation, output) {
    for (const [name, what] of NEEDED) {
      if (invocation.value(name) === undefined)
        throw new UsageError(
          `Say ${what} with GATEWAY_${name.toUpperCase().replace('-', '_')} or --${name}.`,
        );
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

const NEEDED = [
  ['url', 'which gateway is meant'],
  ['api-key', 'which key is meant'],
] as const;

const recordOf = (key: OwnKey): Record<string, string> => ({
  id: key.id,
  name: orDash(key.key_name),
  key: `${key.key_prefix}…`,
  user: orDash(key.user_id),
  status: key.status,
  models: key.allowed_models === null ? 'all' : key.allowed_models.join(', ') || 'none',
  expires: orDash(key.expires_at),
  ...accountRecord('key', key.quota.key),
  ...accountRecord('user', key.quota.user),
});

const accountRecord = (whose: string, account: Account): Record<string, string> => ({
  [`${whose}: spent`]: amountText(account.spend),
  [`${whose}: left`]: account.remaining === null ? 'any amount' : amountText(account.remaining),
  [`${whose}: budget ends`]: orDash(account.next_budget_reset_at),
  [`${whose}: requests in a minute`]: useText(account.requests),
  [`${whose}: tokens in a minute`]: useText(account.tokens),
  [`${whose}: requests at once`]: useText(account.parallel),
});

const amountText = (amount: number): string => dollars(nanosOf(amount) ?? 0n);

const useText = ({ used, limit }: Account['requests']): string =>
  limit === null ? String(used) : `${used} of ${limit}`;
