import type { User, Users } from '../../accounts/identity/identity.ts';
import { listAll } from '../../store/list-all.ts';
import { findOne } from '../store/find-one.ts';

/** Finds a user by its id, or by an alias that no other user has. */
export const findUser = async (users: Users, text: string): Promise<User> =>
  findOne(text, await listAll(users), {
    kind: 'user',
    list: 'gateway users list',
    idOf: ({ userId }) => userId,
    namesOf: ({ alias }) => [alias],
  });
