import { parseJsonText } from '../../../core/json/json-text.ts';
import type { GroupKind, ReservationRow } from './schema.ts';

/** The IDs of accounts in `gateway_accounts`. */
export const userAccount = (userId: string): string => `user:${userId}`;
export const keyAccount = (keyId: string): string => `key:${keyId}`;

/** Accounts of groups have the IDs `team:<id>` and `org:<id>`. */
export const groupAccount = (kind: GroupKind, id: string): string => `${kind}:${id}`;

/** What a request is charged to. */
export interface ChargedAccounts {
  readonly userId: string;
  readonly keyId: string | null;
  /** The IDs of all other accounts, for example of a team. */
  readonly otherAccounts: readonly string[];
}

export const accountIdsOf = ({ userId, keyId, otherAccounts }: ChargedAccounts): string[] =>
  keyId === null
    ? [userAccount(userId), ...otherAccounts]
    : [keyAccount(keyId), userAccount(userId), ...otherAccounts];

/** The id of the group of a kind among accounts; null if there is none. */
export function groupIn(accounts: readonly string[], kind: GroupKind): string | null {
  const prefix = groupAccount(kind, '');
  return accounts.find((id) => id.startsWith(prefix))?.slice(prefix.length) ?? null;
}

export const otherAccountsText = (accounts: readonly string[]): string | null =>
  accounts.length === 0 ? null : JSON.stringify(accounts);

/** The accounts of a stored reservation. */
export const chargedAccountsOf = (
  row: Pick<ReservationRow, 'user_id' | 'key_id' | 'other_accounts'>,
): ChargedAccounts => ({
  userId: row.user_id,
  keyId: row.key_id,
  otherAccounts: row.other_accounts === null ? NONE : readTexts(row.other_accounts),
});

const NONE: readonly string[] = [];

function readTexts(text: string): readonly string[] {
  const value = parseJsonText(text);
  return Array.isArray(value) ? value : NONE;
}
