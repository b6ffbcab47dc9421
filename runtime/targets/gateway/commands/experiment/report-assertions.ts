import { printText } from '#serve/cli/terminal.ts';
import { writeText } from '#platform/files/write-text.ts';
import type { Output } from '#serve/cli/command.ts';
import { checkAssertions, type ComparedModel } from './assertions.ts';
import { isBaselineFile, readBaselineFile } from './baseline-file.ts';
import { baselineTable } from './baseline-table.ts';
import type { ExperimentFile } from './experiment-file.ts';
import type { GatewayClient } from './gateway-client.ts';
import { junitReport } from './junit.ts';
import type { StartedExperiment } from './start-experiment.ts';

interface Options {
  readonly file: Pick<ExperimentFile, 'name' | 'assertions'>;
  readonly started: StartedExperiment;
  /** ID of the experiment to compare with, or path of its comparison. */
  readonly baseline: string | undefined;
  /** Path of the CI report. */
  readonly junit: string | undefined;
  readonly isMarkdown: boolean;
}

/** Checks a finished experiment's assertions and writes the reports. Resolves with whether all assertions passed. */
export async function reportAssertions(
  client: GatewayClient,
  { file, started: { id, refused }, baseline, junit, isMarkdown }: Options,
  output: Output,
): Promise<boolean> {
  if (file.assertions.length === 0 && baseline === undefined && junit === undefined) return true;
  const models = await modelsOf(client, id);
  const earlier = baseline === undefined ? [] : await modelsOfBaseline(client, baseline);
  const assertions = checkAssertions(file.assertions, models, earlier);
  if (baseline !== undefined && isMarkdown) printText(output, `\n${baselineTable(models, earlier)}\n`);
  const failed = assertions.filter(({ problem }) => problem !== undefined);
  for (const { model, condition, problem } of failed) output.err(`${model}: ${condition}: ${problem}\n`);
  if (assertions.length > 0)
    output.err(`${assertions.length - failed.length} of ${assertions.length} assertions passed.\n`);
  if (junit !== undefined) {
    const missing = refused.map(({ name, why }) => ({ name, status: 'refused', error: why }));
    const report = junitReport({ experiment: file.name, models: [...models, ...missing], assertions });
    await writeText(junit, report);
  }
  return failed.length === 0;
}

const modelsOfBaseline = async (client: GatewayClient, baseline: string): Promise<readonly ComparedModel[]> =>
  isBaselineFile(baseline) ? await readBaselineFile(baseline) : await modelsOf(client, baseline);

const modelsOf = async (client: GatewayClient, id: string): Promise<readonly ComparedModel[]> => {
  const path = `/api/v1/experiments/${encodeURIComponent(id)}/compare?format=json&disagreements=0`;
  return (await client.json('GET', path))['workflows'] as readonly ComparedModel[];
};
