import { inputError } from '../../../../contract/errors.ts';
import type { Command } from '../../../../serve/cli/command.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { GATEWAY_OPTIONS_OF_CLIENTS } from './gateway-options.ts';
import type { WatchedWorkflow } from './watch-experiment.ts';
import { withGateway } from './with-gateway.ts';

const OPTIONS = {
  model: { value: 'name', help: 'Name of the model, required if the experiment has several' },
  format: { value: 'format', help: 'Format of the rows', choices: ['csv', 'jsonl'], fallback: 'csv' },
  ...GATEWAY_OPTIONS_OF_CLIENTS,
  ...STORE_OPTIONS,
};

export const experimentRowsCommand: Command = {
  summary: 'Print the answers of a model, also of one that failed or was stopped.',
  positionals: '<experiment_id>',
  options: OPTIONS,
  async run(invocation, output) {
    const [id] = exactly(invocation, '<experiment_id>');
    await withGateway(invocation, OPTIONS, async (client) => {
      const experiment = await client.json('GET', `/api/v1/experiments/${encodeURIComponent(id)}`);
      const all = experiment['workflows'] as readonly WatchedWorkflow[];
      const workflow = workflowOf(all, invocation.value('model'));
      const path = `/api/v1/workflows/${workflow.id}/rows?format=${invocation.value('format') ?? 'csv'}`;
      for await (const text of client.pieces(path)) output.out(text);
    });
    return 0;
  },
};

function workflowOf(all: readonly WatchedWorkflow[], name: string | undefined): WatchedWorkflow {
  const found = name === undefined ? all : all.filter((workflow) => workflow.name === name);
  const [first] = found;
  if (first && found.length === 1) return first;
  const names = [...new Set(all.map((workflow) => workflow.name))].join(', ') || '-';
  const problem = first ? 'Several models match' : `There is no model ${JSON.stringify(name ?? '')}`;
  throw inputError(`${problem}. Set --model to one of: ${names}.`);
}
