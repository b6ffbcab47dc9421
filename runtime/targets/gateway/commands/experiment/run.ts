import { printText } from '#serve/cli/terminal.ts';
import { type Command, type Invocation, type Option, type Output, UsageError } from '#serve/cli/command.ts';
import { formatOf } from '#serve/cli/output-format.ts';
import { EXIT_FAILED } from '#serve/errors/exit-code.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { ASSERTION_OPTIONS } from './assertion-options.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import type { ExperimentFile } from './experiment-file.ts';
import { FORMAT_OPTION } from './format-option.ts';
import { withGateway } from './with-gateway.ts';

/** Options of all commands that run an experiment. */
export const RUN_OPTIONS = {
  ...ASSERTION_OPTIONS,
  ...FORMAT_OPTION,
  ...CLIENT_OPTIONS,
  ...STORE_OPTIONS,
};

const OPTIONS = {
  file: { short: 'f', value: 'file', help: 'YAML file with the dataset, models and metrics' },
  ...RUN_OPTIONS,
};

/** `experiment run` runs and compares all models in a file. */
export const runExperimentCommand: Command = {
  summary: 'Run several models on one dataset and compare them.',
  options: OPTIONS,
  async run(invocation, output) {
    const path = invocation.value('file');
    if (path === undefined) throw new UsageError('--file is required, e.g. --file experiment.yml.');
    formatOf(invocation);
    const { readExperimentFile } = await import('./experiment-file.ts');
    return await runExperiment(await readExperimentFile(path), { invocation, options: OPTIONS, output });
  },
};

interface RunContext {
  readonly invocation: Invocation;
  readonly options: Readonly<Record<string, Option>>;
  readonly output: Output;
}

/** Runs an experiment, prints the comparison, and resolves with the exit code. */
export async function runExperiment(
  file: ExperimentFile,
  { invocation, options, output }: RunContext,
): Promise<number> {
  const format = formatOf(invocation);
  const { startExperiment } = await import('./start-experiment.ts');
  const { createExperimentProgress: createProgress, watchExperiment } = await import('./watch-experiment.ts');
  const { reportAssertions } = await import('./report-assertions.ts');
  const { isBaselineFile, readBaselineFile } = await import('./baseline-file.ts');
  const { validateAssertions } = await import('./assertions.ts');
  const [baseline, junit] = [invocation.value('baseline'), invocation.value('junit')];
  const names = file.workflows.map(({ name }) => name);
  validateAssertions(file.assertions, names, baseline !== undefined);
  // A mistake in the file must not be found after the models have been paid for.
  if (baseline !== undefined && isBaselineFile(baseline)) await readBaselineFile(baseline);
  return await withGateway(invocation, options, async (client, url) => {
    if (baseline !== undefined && !isBaselineFile(baseline))
      await client.json('GET', `/api/v1/experiments/${encodeURIComponent(baseline)}`);
    const started = await startExperiment(client, file);
    const { id, refused } = started;
    output.err(`Experiment ${id} at ${url}\n`);
    for (const { name, why } of refused) output.err(`${name}: refused: ${why}\n`);
    const done = await watchExperiment(client, id, createProgress(output.err, process.stderr.isTTY));
    printText(output, await client.text(`/api/v1/experiments/${id}/compare?format=${format}`));
    const isWhole = refused.length === 0 && done.every(({ status }) => status === 'succeeded');
    const reported = { file, started, baseline, junit, isMarkdown: format === 'markdown' };
    const allHold = await reportAssertions(client, reported, output);
    return isWhole && allHold ? 0 : EXIT_FAILED;
  });
}
