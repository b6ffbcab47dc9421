import { pushAll } from '#core/values/push-all.ts';
import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson, printLines, stdoutTerminal } from '#serve/cli/terminal.ts';
import { formatTable } from '#serve/cli/table.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { CLIENT_OPTIONS } from './client-options.ts';
import type { WatchedWorkflow } from './watch-experiment.ts';
import { withGateway } from './with-gateway.ts';

const OPTIONS = {
  search: { value: 'text', help: 'Only experiments whose name or description contains this text' },
  tag: { value: 'tag', help: 'Only experiments with this tag (repeatable)', repeatable: true },
  ...JSON_OPTION,
  ...CLIENT_OPTIONS,
  ...STORE_OPTIONS,
} as const;
const PAGE_SIZE = 100;

interface ListedExperiment {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly tags: readonly string[];
  readonly task_definition: { readonly task: string };
  readonly workflows: readonly WatchedWorkflow[];
}

export const listExperimentsCommand: Command = {
  summary: 'List the experiments, newest first.',
  options: OPTIONS,
  async run(invocation, output) {
    const all: ListedExperiment[] = [];
    const search = new URLSearchParams({ search: invocation.value('search') ?? '' });
    for (const tag of invocation.values('tag')) search.append('tag', tag);
    await withGateway(invocation, OPTIONS, async (client) => {
      for (;;) {
        const page = await client.json(
          'GET',
          `/api/v1/experiments/?skip=${all.length}&limit=${PAGE_SIZE}&${search.toString()}`,
        );
        const items = page['items'] as readonly ListedExperiment[];
        pushAll(all, items);
        if (items.length < PAGE_SIZE) return;
      }
    });
    if (invocation.flag('json')) printJson(output, all);
    else if (all.length === 0)
      output.err('No experiments found. Create one with `gateway experiment run`.\n');
    else printLines(output, formatTable(COLUMNS, all.map(rowOf), stdoutTerminal()));
    return 0;
  },
};

const COLUMNS = ['ID', 'NAME', 'TASK', 'MODELS', 'TAGS', 'CREATED'];

const rowOf = ({
  id,
  name,
  task_definition: { task },
  workflows,
  tags,
  created_at: at,
}: ListedExperiment): string[] => [
  id,
  name,
  task,
  workflows.map((workflow) => `${workflow.name} (${workflow.status})`).join(', ') || '-',
  tags.join(', ') || '-',
  at,
];
