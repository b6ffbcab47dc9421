/** @import { GatewaySection } from '../sections.js' */
import { facts, figures } from '../components/facts.js';
import { element, listed } from '../dom.js';
import { count, dateTime, money } from '../format.js';
import { actionButton, actions } from '../parts/actions.js';

/** @type {readonly GatewaySection[]} */
export const ACCOUNT = [
  {
    path: 'account',
    name: 'Your account',
    group: 'You',
    async show({ root, session, signal }) {
      const { data: me } = await session.call('v1/me', { signal });
      root.append(
        facts([
          ['User', me.user_id ?? 'Master key'],
          ['Role', me.role],
          [
            'Credential',
            me.scope === 'master'
              ? 'Master key'
              : `Key that ${me.scope === 'models' ? 'calls models' : 'manages'}`,
          ],
          ['Expires', me.expires_at === null ? 'Never' : dateTime(me.expires_at)],
          [
            'Teams',
            listed(
              me.teams.map((/** @type {any} */ one) => `${one.team_id} (${one.role})`),
              'None',
            ),
          ],
        ]),
      );
      if (me.scope !== 'master' && session.key() === '')
        root.append(
          actions(
            actionButton('Sign out', async () => {
              await session.call('auth/sign-out', { method: 'POST' });
              location.reload();
            }),
          ),
        );
      // No limits apply to a key that manages, so it has none to show.
      if (me.scope !== 'models') return;
      const { data: own } = await session.call('v1/keys/me', { signal });
      for (const [name, account] of Object.entries(own.quota)) root.append(...accountPart(name, account));
    },
  },
];

/**
 * @param {string} name
 * @param {any} account
 */
const accountPart = (name, account) => [
  element('h2', {}, `Budget and limits of your ${name}`),
  figures([
    { name: 'Spent', value: money(account.spend) },
    { name: 'Held', value: money(account.reserved), note: 'for requests in flight' },
    {
      name: 'Left',
      value: account.remaining === null ? 'No limit' : money(account.remaining),
      ...(account.max_budget === null ? {} : { note: `of ${money(account.max_budget)}` }),
    },
    { name: 'Requests', ...allowance(account.requests) },
    { name: 'Tokens', ...allowance(account.tokens) },
  ]),
];

/** @param {any} one */
const allowance = ({ used, limit }) => ({
  value: limit === null ? 'No limit' : count(limit - used),
  note: limit === null ? 'per minute' : `left of ${count(limit)} per minute`,
});
