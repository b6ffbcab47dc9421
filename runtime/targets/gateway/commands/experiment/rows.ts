import { printText } from '#serve/cli/terminal.ts';
import { inputError } from '#contract/errors.ts';
import { formatOf, JSON_OPTION } from '#serve/cli/output-format.ts';
import { experimentCommand } from './experiment-command.ts';
import type { WatchedWorkflow } from './watch-experiment.ts';

export const experimentRowsCommand = experimentCommand({
  summary: 'Print a model’s responses, even if it failed or was stopped.',
  options: {
    model: { value: 'name', help: 'Name of the model, required if the experiment has several' },
    format: { value: 'format', help: 'Format of the rows', choices: ['csv', 'jsonl'], fallback: 'csv' },
    ...JSON_OPTION,
  },
  prepare(invocation) {
    const format = formatOf(invocation);
    return async ({ client, path, output }) => {
      const experiment = await client.json('GET', path);
      const all = experiment['workflows'] as readonly WatchedWorkflow[];
      const { id } = workflowOf(all, invocation.value('model'));
      const rows = (name: string): AsyncIterable<string> =>
        client.pieces(`/api/v1/workflows/${id}/rows?format=${name}`);
      const texts = format === 'json' ? jsonArray(rows('jsonl')) : rows(format);
      for await (const text of texts) printText(output, text);
      return 0;
    };
  },
});

/** Converts JSON Lines to a single JSON array as they arrive, because the rows may not fit into memory. */
async function* jsonArray(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  let separator = '[\n';
  for await (const piece of pieces) {
    const lines = (rest + piece).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      yield `${separator}  ${line}`;
      separator = ',\n';
    }
  }
  if (rest !== '') yield `${separator}  ${rest}`;
  yield rest === '' && separator === '[\n' ? '[]\n' : '\n]\n';
}

function workflowOf(all: readonly WatchedWorkflow[], name: string | undefined): WatchedWorkflow {
  const found = name === undefined ? all : all.filter((workflow) => workflow.name === name);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = [...new Set(all.map((workflow) => workflow.name))].join(', ') || '-';
  const problem = first ? 'Several models match' : `There is no model ${JSON.stringify(name ?? '')}`;
  throw inputError(`${problem}. Set --model to one of: ${names}.`);
}
