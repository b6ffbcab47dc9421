import { inputError } from '../../../../contract/errors.ts';
import { omitUndefined } from '../../../../core/json/given-only.ts';
import type { Command, Invocation } from '../../../../serve/cli/command.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { wholeNumber } from '../../../../serve/cli/values.ts';
import { EXIT_FAILED } from '../../../../serve/errors/exit-code.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { optionValue } from '../options/option-value.ts';
import { FORMAT_OPTION, readFormat } from './format-option.ts';
import { GATEWAY_OPTIONS_OF_CLIENTS } from './gateway-options.ts';
import type { WatchedWorkflow } from './watch-experiment.ts';
import { withGateway } from './with-gateway.ts';

const OPTIONS = {
  'batch-size': { value: 'rows', help: 'Rows per batch, which language models answer in parallel' },
  'max-error-rate': { value: 'share', help: 'Share of rows that are allowed to fail, 0 to 1' },
  'job-timeout': { value: 'seconds', help: 'Time limit of each job' },
  ...FORMAT_OPTION,
  ...GATEWAY_OPTIONS_OF_CLIENTS,
  ...STORE_OPTIONS,
};
const LIMITS = { least: 1, most: Number.MAX_SAFE_INTEGER };

export const retryExperimentCommand: Command = {
  summary: 'Retry failed rows and failed models of an experiment; answers are kept.',
  positionals: '<experiment_id>',
  options: OPTIONS,
  async run(invocation, output) {
    const [id] = exactly(invocation, '<experiment_id>');
    const format = readFormat(invocation);
    const changes = changesOf(invocation);
    const { createProgress, watchExperiment } = await import('./watch-experiment.ts');
    return await withGateway(invocation, OPTIONS, async (client) => {
      const path = `/api/v1/experiments/${encodeURIComponent(id)}`;
      const experiment = await client.json('GET', path);
      const all = (experiment['workflows'] as readonly WatchedWorkflow[]).filter(isRetryable);
      if (all.length === 0) throw inputError(`Experiment ${id} has no failed models or rows to retry.`);
      for (const workflow of all) {
        await client.json('POST', `/api/v1/workflows/${workflow.id}/retry`, changes);
      }
      const done = await watchExperiment(client, id, createProgress(output.err, process.stderr.isTTY));
      output.out(await client.text(`${path}/compare?format=${format}`));
      return done.every(({ status }) => status === 'succeeded') ? 0 : EXIT_FAILED;
    });
  },
};

const changesOf = (invocation: Invocation): object =>
  omitUndefined({
    batch_size: wholeNumber(invocation, 'batch-size', LIMITS),
    max_error_rate: optionValue(invocation, 'max-error-rate', SHARE),
    job_timeout_sec: wholeNumber(invocation, 'job-timeout', LIMITS),
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
