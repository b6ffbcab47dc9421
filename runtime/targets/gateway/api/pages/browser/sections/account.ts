import type { Static } from 'typebox';
import type { me } from '#gateway/api/auth.ts';
import type { ownKey } from '#gateway/api/keys-schemas.ts';
import type { GatewaySection } from '../parts/section.ts';
import { facts, figures } from '#serve/http/pages/browser/components/facts.ts';
import { element, listed } from '#serve/http/pages/browser/dom.ts';
import { count, dateTime, money } from '#serve/http/pages/browser/format.ts';
import { actionButton, actions } from '../parts/edit.ts';

type Quota = Static<typeof ownKey>['quota'];
type Account = Quota['user'];
type Limit = NonNullable<Quota['limits']>[number];

export const ACCOUNT: readonly GatewaySection[] = [
  {
    path: 'account',
    name: 'Your account',
    group: 'You',
    async show({ root, session, signal }) {
      const { data: caller } = await session.call<Static<typeof me>>('v1/me', { signal });
      root.append(
        facts([
          ['User', caller.user_id ?? 'Master key'],
          ['Role', caller.role],
          [
            'Credential',
            caller.scope === 'master'
              ? 'Master key'
              : `Key for ${caller.scope === 'models' ? 'calling models' : 'managing the gateway'}`,
          ],
          ['Expires', caller.expires_at === null ? 'Never' : dateTime(caller.expires_at)],
          [
            'Teams',
            listed(
              caller.teams.map((one) => `${one.team_id} (${one.role})`),
              'None',
            ),
          ],
        ]),
      );
      if (caller.scope !== 'master' && session.key() === '')
        root.append(
          actions(
            actionButton('Sign out', async () => {
              await session.call('auth/sign-out', { method: 'POST' });
              location.reload();
            }),
          ),
        );
      // Limits do not apply to keys of scope `manage`, so none are shown.
      if (caller.scope !== 'models') return;
      const { data: own } = await session.call<Static<typeof ownKey>>('v1/keys/me', { signal });
      const { limits = [], ...accounts } = own.quota;
      for (const [name, account] of Object.entries(accounts)) root.append(...accountPart(name, account));
      for (const limit of limits) root.append(...limitPart(limit));
    },
  },
];

const limitPart = (limit: Limit) => [
  element('h2', {}, limit.name),
  figures([
    ...amounts(limit),
    {
      name: 'Reset',
      value: limit.next_budget_reset_at === null ? 'Never' : dateTime(limit.next_budget_reset_at),
    },
  ]),
];

const amounts = (account: Pick<Account, 'spend' | 'reserved' | 'remaining' | 'max_budget'>) => [
  { name: 'Spent', value: money(account.spend) },
  { name: 'Held', value: money(account.reserved), note: 'for requests in flight' },
  {
    name: 'Left',
    value: account.remaining === null ? 'No limit' : money(account.remaining),
    ...(account.max_budget === null ? {} : { note: `of ${money(account.max_budget)}` }),
  },
];

const accountPart = (name: string, account: Account) => [
  element('h2', {}, `Budget and limits of your ${name}`),
  figures([
    ...amounts(account),
    { name: 'Requests', ...allowance(account.requests) },
    { name: 'Tokens', ...allowance(account.tokens) },
  ]),
];

const allowance = ({ used, limit }: Account['requests']) => ({
  value: limit === null ? 'No limit' : count(limit - used),
  note: limit === null ? 'per minute' : `left of ${count(limit)} per minute`,
});
