import { printText } from '#serve/cli/terminal.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { AMOUNTS } from '../../evaluation/compare/amounts.ts';
import { experimentCommand } from './experiment-command.ts';

export const experimentMatrixCommand = experimentCommand({
  summary: 'Compare prompts and models in a table, with the frontier of cost and quality.',
  options: {
    metric: { value: 'name', help: 'Metric for quality (default: the first one with a score per row)' },
    by: {
      value: 'amount',
      help: 'Amount that quality is weighed against',
      choices: AMOUNTS,
      fallback: 'cost',
    },
    ...JSON_OPTION,
    format: {
      value: 'format',
      help: 'Output format',
      choices: ['markdown', 'json', 'svg'],
      fallback: 'markdown',
    },
  },
  prepare(invocation) {
    const query = new URLSearchParams({
      metric: invocation.value('metric') ?? '',
      by: invocation.value('by') ?? 'cost',
      format: formatOf(invocation),
    });
    return async ({ client, path, output }) => {
      printText(output, await client.text(`${path}/matrix?${query.toString()}`));
      return 0;
    };
  },
});
