import type { Command } from '../../../../serve/cli/command.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { STORE_OPTIONS } from '../../config/options.ts';
import { FORMAT_OPTION, readFormat } from './format-option.ts';
import { GATEWAY_OPTIONS_OF_CLIENTS } from './gateway-options.ts';
import { withGateway } from './with-gateway.ts';

const OPTIONS = { ...FORMAT_OPTION, ...GATEWAY_OPTIONS_OF_CLIENTS, ...STORE_OPTIONS };

export const compareExperimentCommand: Command = {
  summary: 'Show what the models of an experiment came to.',
  positionals: '<experiment_id>',
  options: OPTIONS,
  async run(invocation, output) {
    const [id] = exactly(invocation, '<experiment_id>');
    const format = readFormat(invocation);
    await withGateway(invocation, OPTIONS, async (client) => {
      const path = `/api/v1/experiments/${encodeURIComponent(id)}/compare?format=${format}`;
      output.out(await client.text(path));
    });
    return 0;
  },
};
