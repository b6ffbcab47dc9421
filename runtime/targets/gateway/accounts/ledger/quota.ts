import { totalOf, minuteOf } from './limits.ts';
import { spentNow } from '../identity/accounts.ts';
import { keyAccount, userAccount } from '../../store/account-ids.ts';
import type { Limits, Spender } from '../identity/identity.ts';
import type { Store } from '../../store/store.ts';
import type { AccountRow } from '../../store/schema.ts';
import type { AccountState, Allowance, Quota } from './ledger.ts';

export async function quotaOf(
  { ledger }: Pick<Store, 'ledger'>,
  { user, key, shared }: Spender,
  now: number,
): Promise<Quota> {
  const ids = [
    userAccount(user.userId),
    ...(key ? [keyAccount(key.id)] : []),
    ...shared.map(({ account }) => account),
  ];
  const rows = await ledger.accounts(ids);
  const stateOf = (id: string, limits: Limits): AccountState =>
    accountState(rows.find((row) => row.id === id) ?? unused(id), limits, now);
  return {
    user: stateOf(userAccount(user.userId), user.limits),
    key: key && stateOf(keyAccount(key.id), key.limits),
    shared: shared.map(({ account, limits }) => ({ account, state: stateOf(account, limits) })),
  };
}

function accountState(row: AccountRow, limits: Limits, now: number): AccountState {
  const spent = spentNow(row, now);
  const { requests, tokens } = minuteOf(row, now);
  const left = limits.maxBudget === null ? null : limits.maxBudget - spent - row.reserved_nano;
  return {
    spent,
    reserved: row.reserved_nano,
    maxBudget: limits.maxBudget,
    remaining: left !== null && left < 0n ? 0n : left,
    budgetStartedAt: row.window_started_at,
    nextBudgetResetAt: row.window_ends_at,
    requests: allowance(totalOf(requests), limits.rpm),
    tokens: allowance(totalOf(tokens), limits.tpm),
    parallel: allowance(row.running, limits.maxParallel),
  };
}

const allowance = (used: number, limit: number | null): Allowance => ({
  used,
  limit,
  remaining: limit === null ? null : Math.max(0, limit - used),
});

const unused = (id: string): AccountRow => ({
  id,
  spent_nano: 0n,
  reserved_nano: 0n,
  running: 0,
  window_started_at: null,
  window_ends_at: null,
  minute: null,
});
