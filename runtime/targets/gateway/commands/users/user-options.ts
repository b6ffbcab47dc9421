import type { Invocation, Option } from '#serve/cli/command.ts';
import { USER_ROLES, type UserChanges } from '../../accounts/identity/identity.ts';
import type { Budgets } from '../../accounts/ledger/ledger.ts';
import { findBudget } from '../budgets/find-budget.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { METADATA_OPTION, metadataOf } from '../options/metadata-option.ts';

/** Options of `users create` and `users update`. */
export const USER_OPTIONS = {
  alias: { value: 'name', help: 'Display name of the user' },
  budget: { value: 'id|name', help: 'Budget of the user, or none' },
  role: {
    value: 'role',
    help: 'admin manages everything, viewer reads everything, member manages the own keys',
    choices: USER_ROLES,
  },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

export const userFields = (invocation: Invocation): Omit<UserChanges, 'blocked' | 'budgetId'> => ({
  alias: invocation.value('alias'),
  metadata: metadataOf(invocation),
  role: USER_ROLES.find((known) => known === invocation.value('role')),
  ...limitsOf(invocation),
});

/** Returns the id of the budget that the command line names; null for `none`. */
export async function budgetIdOf(
  budgets: Budgets,
  text: string | undefined,
): Promise<string | null | undefined> {
  if (text === undefined) return undefined;
  return text === 'none' ? null : (await findBudget(budgets, text)).budgetId;
}
