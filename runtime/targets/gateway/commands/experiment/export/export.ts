import { UsageError } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';
import { experimentCommand } from '../experiment-command.ts';
import { MLFLOW_OPTIONS } from './mlflow-options.ts';

const TARGETS = ['mlflow', 'huggingface'] as const;

export const exportExperimentCommand = experimentCommand({
  summary: 'Export an experiment to MLflow, or as files for the Hugging Face `datasets` library.',
  options: {
    to: { value: 'target', help: 'Where to export to', choices: TARGETS },
    output: {
      short: 'o',
      value: 'folder',
      help: 'Folder for the huggingface files; must be new or empty',
    },
    ...MLFLOW_OPTIONS,
    ...JSON_OPTION,
  },
  prepare(invocation) {
    const to = invocation.value('to');
    if (to === undefined) throw new UsageError(`--to is required: ${TARGETS.join(' or ')}.`);
    const [folder, url] = [invocation.value('output'), invocation.value('mlflow-url')];
    if (to === 'huggingface' && folder === undefined)
      throw new UsageError('--to huggingface requires --output, the folder for the files.');
    if (to === 'mlflow' && url === undefined)
      throw new UsageError('--to mlflow requires --mlflow-url, e.g. http://127.0.0.1:5000.');
    return async ({ client, path, output }) => {
      const { readExported } = await import('./read-exported.ts');
      const exported = await readExported(client, path);
      if (to === 'huggingface') {
        const { exportFiles } = await import('./hugging-face.ts');
        await exportFiles(client, exported, folder ?? '');
        if (invocation.flag('json')) printJson(output, { folder });
        else output.out(`${folder}\n`);
        return 0;
      }
      const { exportToMlflow } = await import('./mlflow.ts');
      const access = { token: invocation.value('mlflow-token'), url: url ?? '' };
      const runs = await exportToMlflow(client, exported, access);
      if (invocation.flag('json')) printJson(output, { runs });
      else for (const run of runs) output.out(`${run}\n`);
      return 0;
    };
  },
});
