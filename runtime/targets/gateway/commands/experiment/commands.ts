import type { CommandGroup } from '../../../../serve/cli/command.ts';
import { compareExperimentCommand } from './compare.ts';
import { listExperimentsCommand } from './list.ts';
import { experimentReportCommand } from './report.ts';
import { retryExperimentCommand } from './retry.ts';
import { experimentRowsCommand } from './rows.ts';
import { runExperimentCommand } from './run.ts';

export const EXPERIMENT_COMMANDS: CommandGroup = {
  summary: 'Run models on a dataset and compare them.',
  commands: {
    run: runExperimentCommand,
    list: listExperimentsCommand,
    compare: compareExperimentCommand,
    rows: experimentRowsCommand,
    report: experimentReportCommand,
    retry: retryExperimentCommand,
  },
};
