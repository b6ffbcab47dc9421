import type { CommandGroup } from '#serve/cli/command.ts';
import { listAlertsCommand } from './list.ts';
import { testAlertsCommand } from './test.ts';

export const ALERT_COMMANDS: CommandGroup = {
  summary: 'Show alerts about budgets, and test their webhook.',
  commands: { list: listAlertsCommand, test: testAlertsCommand },
};
