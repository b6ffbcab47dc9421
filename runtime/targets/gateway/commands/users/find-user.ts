import type { User, Users } from '../../accounts/identity/identity.ts';
import { everyPage } from '../../store/every-page.ts';
import { findOne } from '../store/find-one.ts';

/** The user that a command means: by id, or by an alias that no other user has. */
export const findUser = async (users: Users, text: string): Promise<User> =>
  findOne(text, await everyPage(users), {
    kind: 'user',
    list: 'gateway users list',
    idOf: ({ userId }) => userId,
    namesOf: ({ alias }) => [alias],
  });
