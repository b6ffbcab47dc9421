import type { Command } from './command.ts';

/** `version` of a program that carries no model. The builder writes the version in; from source there is none. */
export const versionCommand = (name: string): Command => ({
  summary: 'Print the product name and version.',
  options: {},
  run(_invocation, output) {
    output.out(`${name} ${process.env['ENCODERFILE_VERSION'] ?? 'from source'}\n`);
    return Promise.resolve(0);
  },
});
