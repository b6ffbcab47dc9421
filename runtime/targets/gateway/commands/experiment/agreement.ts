import { UsageError } from '#serve/cli/command.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { RATING_LEVELS } from '../../evaluation/metrics/agreement/ratings.ts';
import { experimentCommand } from './experiment-command.ts';

export const experimentAgreementCommand = experimentCommand({
  summary: 'Measure how far judges, models and people agree (kappa, alpha).',
  options: {
    rater: {
      value: 'column',
      help: 'Dataset column, or model/column for scores and responses, or */column for all models (repeatable)',
      repeatable: true,
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
    const raters = invocation.values('rater');
    if (raters.length === 0)
      throw new UsageError('--rater is required, e.g. --rater human --rater "*/polite".');
    const query = new URLSearchParams({
      level: invocation.value('level') ?? 'nominal',
      threshold: invocation.value('threshold') ?? '',
      format: formatOf(invocation),
    });
    for (const rater of raters) query.append('rater', rater);
    return async ({ client, path, output }) => {
      output.out(await client.text(`${path}/agreement?${query.toString()}`));
      return 0;
    };
  },
});
