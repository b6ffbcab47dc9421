import type { Command } from './command.ts';

/** The `version` command of a program without a model. The builder inserts the version; from source there is none. */
export const versionCommand = (name: string): Command => ({
  summary: 'Print the product name and version.',
  options: {},
  run(_invocation, output) {
    output.out(`${name} ${process.env['ENCODERFILE_VERSION'] ?? 'from source'}\n`);
    return Promise.resolve(0);
  },
});
