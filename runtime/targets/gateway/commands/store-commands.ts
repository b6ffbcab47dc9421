import type { Commands } from '../../../serve/cli/command.ts';
import { completionCommand } from '../../../serve/cli/completion-command.ts';
import { BUDGET_COMMANDS } from './budgets/commands.ts';
import { doctorCommand } from './doctor.ts';
import { KEY_COMMANDS } from './keys/commands.ts';
import { migrateCommand } from './migrate.ts';
import { PRICING_COMMANDS } from './pricing/commands.ts';
import { usageCommand } from './usage/usage.ts';
import { USER_COMMANDS } from './users/commands.ts';

/** The commands that need no running gateway. */
export const STORE_COMMANDS: Commands = {
  migrate: migrateCommand,
  'init-db': migrateCommand,
  keys: KEY_COMMANDS,
  users: USER_COMMANDS,
  budgets: BUDGET_COMMANDS,
  pricing: PRICING_COMMANDS,
  usage: usageCommand,
  doctor: doctorCommand,
  completion: completionCommand,
};
