import type { Command } from '../../../../serve/cli/command.ts';
import { printJson, printLines } from '../../../../serve/cli/print.ts';
import { formatTable } from '../../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../../serve/cli/terminal.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { JSON_OPTION } from '../../../../serve/cli/output-format.ts';
import { GATEWAY_OPTIONS_OF_CLIENTS } from './gateway-options.ts';
import type { WatchedWorkflow } from './watch-experiment.ts';
import { withGateway } from './with-gateway.ts';

const OPTIONS = { ...JSON_OPTION, ...GATEWAY_OPTIONS_OF_CLIENTS, ...STORE_OPTIONS };
const AT_ONCE = 100;

interface Listed {
  readonly id: string;
  readonly name: string;
  readonly created_at: string;
  readonly task_definition: { readonly task: string };
  readonly workflows: readonly WatchedWorkflow[];
}

export const listExperimentsCommand: Command = {
  summary: 'List the experiments, the newest first.',
  options: OPTIONS,
  async run(invocation, output) {
    const all: Listed[] = [];
    await withGateway(invocation, OPTIONS, async (client) => {
      for (;;) {
        const page = await client.json('GET', `/api/v1/experiments/?skip=${all.length}&limit=${AT_ONCE}`);
        const items = page['items'] as readonly Listed[];
        all.push(...items);
        if (items.length < AT_ONCE) return;
      }
    });
    if (invocation.flag('json')) printJson(output, all);
    else if (all.length === 0) output.err('There are no experiments. `gateway experiment run` makes one.\n');
    else printLines(output, formatTable(COLUMNS, all.map(rowOf), stdoutTerminal()));
    return 0;
  },
};

const COLUMNS = ['ID', 'NAME', 'TASK', 'MODELS', 'CREATED'];

const rowOf = ({ id, name, task_definition: { task }, workflows, created_at: at }: Listed): string[] => [
  id,
  name,
  task,
  workflows.map((workflow) => `${workflow.name} (${workflow.status})`).join(', ') || '-',
  at,
];
