import type { Command } from '../../../serve/cli/command.ts';
import { openModel } from '../model.ts';

/** The `version` command: prints the name and version of the model, of its builder and of Node. */
export function versionCommand(modelPath: string): Command {
  return {
    summary: 'Print the versions of the model and its runtime.',
    options: {},
    run(_invocation, output) {
      const { name, version, builtBy } = openModel(modelPath).manifest;
      output.out(`${name} ${version} (${builtBy}, Node ${process.versions.node})\n`);
      return Promise.resolve(0);
    },
  };
}
