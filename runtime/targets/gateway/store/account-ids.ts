import { parseJsonText } from '../../../core/json/json-text.ts';
import type { ReservationRow } from './schema.ts';

/** The IDs of the accounts of users, keys and tags in `gateway_accounts`. */
export const userAccount = (userId: string): string => `user:${userId}`;
export const keyAccount = (keyId: string): string => `key:${keyId}`;
export const tagAccount = (tag: string): string => `tag:${tag}`;

/** All accounts that a reservation is held against. */
export function accountsOf({
  user_id: userId,
  key_id: keyId,
  other_accounts: others,
}: Pick<ReservationRow, 'user_id' | 'key_id' | 'other_accounts'>): string[] {
  const user = userAccount(userId);
  const own = keyId === null ? [user] : [keyAccount(keyId), user];
  return others === null ? own : [...own, ...(parseJsonText(others) as string[])];
}

/** IDs of further accounts as text for the database; null if there are none. */
export const otherAccountsToText = (ids: readonly string[] | undefined): string | null =>
  ids === undefined || ids.length === 0 ? null : JSON.stringify(ids);
