import type { CommandGroup } from '#serve/cli/command.ts';
import { experimentAgreementCommand } from './agreement.ts';
import { compareExperimentCommand } from './compare.ts';
import { exportExperimentCommand } from './export/export.ts';
import { listExperimentsCommand } from './list.ts';
import { experimentMatrixCommand } from './matrix.ts';
import { experimentReportCommand } from './report.ts';
import { retryExperimentCommand } from './retry.ts';
import { experimentRowsCommand } from './rows.ts';
import { runExperimentCommand } from './run.ts';
import { updateExperimentCommand } from './update.ts';

export const EXPERIMENT_COMMANDS: CommandGroup = {
  summary: 'Run models on a dataset and compare them.',
  commands: {
    run: runExperimentCommand,
    list: listExperimentsCommand,
    compare: compareExperimentCommand,
    agreement: experimentAgreementCommand,
    matrix: experimentMatrixCommand,
    update: updateExperimentCommand,
    rows: experimentRowsCommand,
    report: experimentReportCommand,
    retry: retryExperimentCommand,
    export: exportExperimentCommand,
  },
};
