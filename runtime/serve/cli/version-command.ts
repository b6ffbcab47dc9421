import { programVersion } from '../program/process-options.ts';
import type { Command } from './command.ts';
import { JSON_OPTION } from './output-format.ts';
import { printJson } from './terminal.ts';

/**
 * The `version` command of a program without a model. The builder inserts the version. When running
 * from source, there is no version.
 */
export const versionCommand = (name: string): Command => ({
  summary: 'Print the product name and version.',
  options: JSON_OPTION,
  run(invocation, output) {
    const version = programVersion();
    if (invocation.flag('json')) printJson(output, { name, version });
    else output.out(`${name} ${version}\n`);
    return Promise.resolve(0);
  },
});
