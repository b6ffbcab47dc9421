import type { CommandGroup } from '#serve/cli/command.ts';
import { createBudgetCommand } from './create.ts';
import { deleteBudgetCommand } from './delete.ts';
import { getBudgetCommand } from './get.ts';
import { listBudgetsCommand } from './list.ts';
import { budgetResetsCommand } from './resets.ts';
import { updateBudgetCommand } from './update.ts';

export const BUDGET_COMMANDS: CommandGroup = {
  summary: 'Manage budgets, which limit the spending of users.',
  commands: {
    create: createBudgetCommand,
    list: listBudgetsCommand,
    get: getBudgetCommand,
    update: updateBudgetCommand,
    delete: deleteBudgetCommand,
    resets: budgetResetsCommand,
  },
};
