import type { Key, Keys } from '../../accounts/identity/identity.ts';
import { everyPage } from '../../store/every-page.ts';
import { findOne } from '../store/find-one.ts';

/** The key that a command means: by id, name or the beginning of the secret that lists show. */
export const findKey = async (keys: Keys, text: string): Promise<Key> =>
  findOne(text, await everyPage(keys), {
    kind: 'key',
    list: 'gateway keys list',
    idOf: ({ id }) => id,
    namesOf: ({ keyName, keyPrefix }) => [keyName, keyPrefix],
  });
