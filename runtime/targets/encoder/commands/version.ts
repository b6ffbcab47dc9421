import type { Command } from '../../../serve/cli/command.ts';
import { openModel } from '../model.ts';

/** `version`: the model's name and version, and what built and runs it. */
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
