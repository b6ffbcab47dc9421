import { dirname } from 'node:path';
import { Errors, type Interfaces, Plugin, run } from '@oclif/core';
import { AppError } from '#contract/errors.ts';
import { isOneFile, readOwnText, repositoryFile } from './adapters/own-files.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { explainUsage } from './commands/explain-usage.ts';
import { commandName, commandProblem } from './commands/find-command.ts';
import { writeError } from './commands/write-error.ts';
import { COMMANDS } from './index.ts';

const commands = Object.entries(COMMANDS).map(([id, command]) => ({
  id,
  takesArguments: Object.keys(command.args).length > 0,
}));

/** Runs the command that the arguments name; returns the exit code. */
export async function main(words: readonly string[]): Promise<number> {
  const argv = plainArguments(words);
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  const json = options.includes('--json');
  const problem = commandProblem(argv, commands);
  if (problem !== undefined) {
    writeError({ code: 'UsageError', message: problem }, json);
    return 2;
  }
  try {
    if (argv.length === 0 && process.stdout.isTTY) {
      const { firstSteps } = await import('./services/first-steps/index.ts');
      process.stdout.write(await firstSteps());
      return 0;
    }
    await run(argv, await oclifOptions());
    return 0;
  } catch (error) {
    if (error instanceof Errors.ExitError) return error.oclif.exit ?? 1;
    if (error instanceof Errors.CLIError) {
      writeError({ code: 'UsageError', message: explainUsage(error, commandName(argv, commands)) }, json);
      return 2;
    }
    const { code, message, cause } = AppError.from(error);
    writeError({ code, message }, json);
    // Prints the stack trace of internal errors, which cannot be debugged without it.
    if (code === 'InternalError' && process.env['DEBUG']) console.error(cause);
    return 1;
  }
}

/**
 * Commands are passed as objects: oclif would otherwise import them from a path, which does not
 * exist in the one-file program.
 */
async function oclifOptions(): Promise<Interfaces.LoadOptions> {
  const root = isOneFile() ? dirname(process.execPath) : repositoryFile('.');
  const pjson = parseJsonText(readOwnText('package.json')) as Interfaces.PJSON;
  const plugin = new Plugin({ root, pjson, isRoot: true, ignoreManifest: true });
  Object.assign(plugin, { commandCache: COMMANDS });
  await plugin.load();
  return { root, pjson, plugins: new Map([[plugin.name, plugin]]) };
}

/** Translates `-V`, `-v`, `--licenses`, `-h` and `help x` to commands. */
function plainArguments(given: readonly string[]): string[] {
  const [first, ...rest] = given;
  if (first === '-V' || first === '-v' || first === '--version') return ['version', ...rest];
  if (first === '--licenses') return ['licenses', ...rest];
  if (first === 'help') return [...rest, '--help'];
  return given.map((word, at) => (word === '-h' && (at === 0 || !given.includes('--')) ? '--help' : word));
}
