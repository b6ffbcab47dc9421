import { formatOf } from '../../../../serve/cli/output-format.ts';
import { experimentCommand } from './experiment-command.ts';
import { FORMAT_OPTION } from './format-option.ts';

export const compareExperimentCommand = experimentCommand({
  summary: 'Compare the results of the models of an experiment.',
  options: FORMAT_OPTION,
  prepare(invocation) {
    const format = formatOf(invocation);
    return async ({ client, path, output }) => {
      output.out(await client.text(`${path}/compare?format=${format}`));
      return 0;
    };
  },
});
