import { printText } from '#serve/cli/terminal.ts';
import { inputError } from '#contract/errors.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import type { Invocation } from '#serve/cli/command.ts';
import { formatOf } from '#serve/cli/output-format.ts';
import { wholeNumberOption } from '#serve/cli/values.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { optionValue } from '../options/changes.ts';
import { experimentCommand } from './experiment-command.ts';
import { FORMAT_OPTION } from './format-option.ts';
import {
  createExperimentProgress,
  hasEnded,
  type WatchedWorkflow,
  watchExperiment,
} from './watch-experiment.ts';

const LIMITS = { min: 1, max: Number.MAX_SAFE_INTEGER };

export const retryExperimentCommand = experimentCommand({
  summary:
    'Retry an experiment’s failed rows and models, and resume interrupted models. Existing responses are kept.',
  options: {
    'batch-size': { value: 'rows', help: 'Rows per batch' },
    'max-concurrency': {
      value: 'requests',
      help: 'Maximum number of concurrent requests to a language model',
    },
    'max-error-rate': { value: 'share', help: 'Maximum share of failed rows, 0 to 1' },
    'job-timeout': { value: 'seconds', help: 'Time limit per job' },
    ...FORMAT_OPTION,
  },
  prepare(invocation) {
    const format = formatOf(invocation);
    const changes = changesOf(invocation);
    return async ({ client, path, id, output }) => {
      const experiment = await client.json('GET', path);
      const models = experiment['workflows'] as readonly WatchedWorkflow[];
      const retryable = models.filter(isRetryable);
      // The gateway takes over jobs whose process was killed, so for unfinished models it is enough to wait.
      if (retryable.length === 0 && models.every(hasEnded)) {
        throw inputError(`Experiment ${id} has no failed models or rows to retry.`);
      }
      for (const workflow of retryable) {
        await client.json('POST', `/api/v1/workflows/${workflow.id}/retry`, changes);
      }
      const done = await watchExperiment(
        client,
        id,
        createExperimentProgress(output.err, process.stderr.isTTY),
      );
      printText(output, await client.text(`${path}/compare?format=${format}`));
      return done.every(({ status }) => status === 'succeeded') ? 0 : EXIT_FAILED;
    };
  },
});

const changesOf = (invocation: Invocation): object =>
  omitUndefined({
    batch_size: wholeNumberOption(invocation, 'batch-size', LIMITS),
    max_concurrency: wholeNumberOption(invocation, 'max-concurrency', LIMITS),
    max_error_rate: optionValue(invocation, 'max-error-rate', SHARE),
    job_timeout_sec: wholeNumberOption(invocation, 'job-timeout', LIMITS),
  });

const SHARE = {
  parse: (text: string): number | undefined => {
    const value = text.trim() === '' ? Number.NaN : Number(text);
    return value >= 0 && value <= 1 ? value : undefined;
  },
  rule: 'a number from 0 to 1',
};

const isRetryable = ({ status, jobs }: WatchedWorkflow): boolean =>
  status === 'failed' ||
  (status === 'succeeded' && jobs.some((job) => job.type === 'inference' && job.failed_rows > 0));
