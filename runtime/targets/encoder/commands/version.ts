import type { Command } from '#serve/cli/command.ts';
import { JSON_OPTION } from '#serve/cli/output-format.ts';
import { printJson } from '#serve/cli/terminal.ts';
import { openModel } from '../model.ts';

/**
 * The `version` command: prints the name and version of the model, and the versions of encoderfile
 * and Node.
 */
export function encoderVersionCommand(modelPath: string): Command {
  return {
    summary: 'Print the versions of the model and its runtime.',
    options: JSON_OPTION,
    run(invocation, output) {
      const { name, version, builtBy } = openModel(modelPath).manifest;
      const node = process.versions.node;
      if (invocation.flag('json')) printJson(output, { name, version, builtBy, node });
      else output.out(`${name} ${version} (${builtBy}, Node ${node})\n`);
      return Promise.resolve(0);
    },
  };
}
