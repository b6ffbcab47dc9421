import type { Group } from '../../accounts/fields/groups.ts';
import type { Key } from '../../accounts/fields/keys.ts';
import type { User } from '../../accounts/fields/users.ts';
import type { Identity, Keys, Users } from '../../accounts/identity/identity.ts';
import type { Budget, Budgets } from '../../accounts/ledger/ledger.ts';
import { listAll } from '../../store/list-all.ts';
import { findOne } from './find-one.ts';

/** Finds a user by ID, or by an alias that no other user has. */
export const findUser = async (users: Users, text: string): Promise<User> =>
  findOne(text, await listAll(users), {
    kind: 'user',
    list: 'gateway users list',
    idOf: ({ userId }) => userId,
    namesOf: ({ alias }) => [alias],
  });

/** Finds a key by ID, name, or the prefix of its secret that lists show. */
export const findKey = async (keys: Keys, text: string): Promise<Key> =>
  findOne(text, await listAll(keys), {
    kind: 'key',
    list: 'gateway keys list',
    idOf: ({ id }) => id,
    namesOf: ({ keyName, keyPrefix }) => [keyName, keyPrefix],
  });

/** Finds a budget by ID, or by a name that no other budget has. */
export const findBudget = async (budgets: Budgets, text: string): Promise<Budget> =>
  findOne(text, await listAll(budgets), {
    kind: 'budget',
    list: 'gateway budgets list',
    idOf: ({ budgetId }) => budgetId,
    namesOf: ({ name }) => [name],
  });

/** Finds a team by ID, or by an alias that no other team has. */
export const findTeam = async ({ teams }: Identity, text: string): Promise<Group> =>
  findOne(text, await listAll(teams), { kind: 'team', list: 'gateway teams list', ...GROUP_NAMES });

export const findOrganization = async ({ organizations }: Identity, text: string): Promise<Group> =>
  findOne(text, await listAll(organizations), {
    kind: 'organization',
    list: 'gateway orgs list',
    ...GROUP_NAMES,
  });

const GROUP_NAMES = {
  idOf: ({ id }: Group): string => id,
  namesOf: ({ alias }: Group): readonly (string | null)[] => [alias],
};
