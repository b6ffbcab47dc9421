import { parseJsonText } from '#core/json/json-text.ts';
import { LIMIT_ID_LENGTH } from '../accounts/fields/budget-limits.ts';
import type { GroupKind, ReservationRow } from './schema.ts';

const LIMIT_PREFIX = 'limit:';

/** IDs of accounts in `gateway_accounts`. */
export const userAccount = (userId: string): string => `user:${userId}`;
export const keyAccount = (keyId: string): string => `key:${keyId}`;
export const tagAccount = (tag: string): string => `tag:${tag}`;

/** Group accounts have the IDs `team:<id>` and `org:<id>`. */
export const groupAccount = (kind: GroupKind, id: string): string => `${kind}:${id}`;

/**
 * The account of a budget's further limit, which each account with the budget has. `limit` has a fixed
 * length, so that the ID of the account can contain anything.
 */
export const limitAccount = (limit: string, account: string): string => `${LIMIT_PREFIX}${limit}:${account}`;

export const isLimitAccount = (id: string): boolean => id.startsWith(LIMIT_PREFIX);

/** The account that a limit belongs to. */
export const accountOfLimit = (id: string): string => id.slice(LIMIT_PREFIX.length + LIMIT_ID_LENGTH + 1);

/** The position of the account's ID in the ID of a limit's account, counted from 1 as in SQL. */
export const ACCOUNT_IN_LIMIT = LIMIT_PREFIX.length + LIMIT_ID_LENGTH + 2;

/** The owner of an account, derived from its ID. */
export function accountOwner(accountId: string): { readonly kind: string; readonly id: string } {
  if (isLimitAccount(accountId)) return accountOwner(accountOfLimit(accountId));
  const at = accountId.indexOf(':');
  return { kind: accountId.slice(0, at), id: accountId.slice(at + 1) };
}

/** The ID of the first group of a kind among accounts; null if there is none. */
export function groupIn(accounts: readonly string[], kind: GroupKind): string | null {
  const prefix = groupAccount(kind, '');
  return accounts.find((id) => id.startsWith(prefix))?.slice(prefix.length) ?? null;
}

/** All accounts that a reservation is charged to. */
export function accountsOf({
  user_id: userId,
  key_id: keyId,
  other_accounts: others,
}: Pick<ReservationRow, 'user_id' | 'key_id' | 'other_accounts'>): string[] {
  const user = userAccount(userId);
  const own = keyId === null ? [user] : [keyAccount(keyId), user];
  return others === null ? own : [...own, ...(parseJsonText(others) as string[])];
}

/** Additional account IDs as text for the database; null if there are none. */
export const otherAccountsToText = (ids: readonly string[] | undefined): string | null =>
  ids === undefined || ids.length === 0 ? null : JSON.stringify(ids);

/** Used instead of a process ID: the reservation belongs to no process, and is kept when processes end. */
export const LASTING = 'lasting';

export const isLasting = ({ process_id: process }: ReservationRow): boolean => process === LASTING;
