import { printText } from '#serve/cli/terminal.ts';
import { UsageError } from '#serve/cli/command.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { RATING_LEVELS } from '../../evaluation/metrics/agreement/ratings.ts';
import { experimentCommand } from './experiment-command.ts';

export const experimentAgreementCommand = experimentCommand({
  summary: 'Measure how far judges, models and people agree (kappa, alpha).',
  options: {
    raters: {
      value: 'columns',
      help: 'Columns, separated by commas: of the dataset, or model/column for scores and responses; */column for all models',
    },
    level: {
      value: 'level',
      help: 'Whether ratings are categories, ranks or quantities',
      choices: RATING_LEVELS,
      fallback: 'nominal',
    },
    threshold: { value: 'number', help: 'Replace each rating by whether it is at least this number' },
    ...JSON_OPTION,
    format: {
      value: 'format',
      help: 'Output format',
      choices: ['markdown', 'json'],
      fallback: 'markdown',
    },
  },
  prepare(invocation) {
    const raters = invocation.value('raters');
    if (raters === undefined) throw new UsageError('--raters is required, e.g. --raters "human,*/polite".');
    const query = new URLSearchParams({
      raters,
      level: invocation.value('level') ?? 'nominal',
      threshold: invocation.value('threshold') ?? '',
      format: formatOf(invocation),
    });
    return async ({ client, path, output }) => {
      printText(output, await client.text(`${path}/agreement?${query.toString()}`));
      return 0;
    };
  },
});
