import type { Kysely } from 'kysely';
import { accountOwner } from '../../store/account-ids.ts';
import type { Schema } from '../../store/schema.ts';
import { keyLabel, userLabel } from './account-labels.ts';
import type { Directory } from './directory.ts';
import { groupGrantOf } from './group-grants.ts';
import type { SharedAccount } from './identity.ts';
import type { TagGrants } from './tag-grants.ts';

/** Finds accounts by their ids. Work that ends after its request has nothing else of its payer. */
export function createAccountGrants(
  db: Kysely<Schema>,
  directory: Directory,
  tagGrants: TagGrants,
): (ids: readonly string[]) => Promise<readonly SharedAccount[]> {
  const find = async (account: string): Promise<SharedAccount | undefined> => {
    const { kind, id } = accountOwner(account);
    if (kind === 'key') {
      const key = (await directory.keyById(id)).value?.key;
      return key && { account, limits: key.limits, label: keyLabel(key) };
    }
    if (kind === 'user') {
      const user = (await directory.user(id)).value?.user;
      return user && { account, limits: user.limits, label: userLabel(user) };
    }
    if (kind === 'tag') return (await tagGrants([id]))[0];
    return kind === 'team' || kind === 'org' ? await groupGrantOf(db, kind, id) : undefined;
  };
  return async (ids) => (await Promise.all(ids.map(find))).filter((account) => account !== undefined);
}
