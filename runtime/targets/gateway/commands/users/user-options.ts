import type { Invocation, Option } from '../../../../serve/cli/command.ts';
import type { UserChanges } from '../../accounts/identity/identity.ts';
import type { Budgets } from '../../accounts/ledger/ledger.ts';
import { findBudget } from '../budgets/find-budget.ts';
import { LIMIT_OPTIONS, limitsOf } from '../options/limit-options.ts';
import { METADATA_OPTION, metadataOf } from '../options/metadata-option.ts';

/** What can be said of a user when it is made and later. */
export const USER_OPTIONS = {
  alias: { value: 'name', help: 'What people call the user' },
  budget: { value: 'id|name', help: 'The budget that the user may spend, in a window of its own; none' },
  ...LIMIT_OPTIONS,
  ...METADATA_OPTION,
} satisfies Readonly<Record<string, Option>>;

export const userFields = (invocation: Invocation): Omit<UserChanges, 'blocked' | 'budgetId'> => ({
  alias: invocation.value('alias'),
  metadata: metadataOf(invocation),
  ...limitsOf(invocation),
});

/** The id of the budget that the command line names. */
export async function budgetIdOf(
  budgets: Budgets,
  named: string | undefined,
): Promise<string | null | undefined> {
  if (named === undefined) return undefined;
  return named === 'none' ? null : (await findBudget(budgets, named)).budgetId;
}
