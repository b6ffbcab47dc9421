import type { Key, Keys } from '../../accounts/identity/identity.ts';
import { listAll } from '../../store/list-all.ts';
import { findOne } from '../store/find-one.ts';

/** Finds a key by its id, its name, or the prefix of its secret that lists show. */
export const findKey = async (keys: Keys, text: string): Promise<Key> =>
  findOne(text, await listAll(keys), {
    kind: 'key',
    list: 'gateway keys list',
    idOf: ({ id }) => id,
    namesOf: ({ keyName, keyPrefix }) => [keyName, keyPrefix],
  });
