import { AppError } from '#contract/errors.ts';
import { errorJson } from '#core/json/error-json.ts';
import { requireLimits } from '#platform/require-limits.ts';
import { OutputClosedError } from '#platform/stdio.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../errors/exit-code.ts';
import { type Output, type Program, UsageError } from './command.ts';
import { findCommand, type FoundCommand, isHelp } from './find-command.ts';
import { commandHelp, groupHelp, programHelp } from './help.ts';
import { parseInvocation } from './parse.ts';
import { printable } from './terminal.ts';

/**
 * Runs the command that `args` name and returns the exit code. Errors are printed to stderr as one
 * sentence without a stack trace.
 */
export async function runProgram(program: Program, args: readonly string[], output: Output): Promise<number> {
  let found: FoundCommand | undefined;
  try {
    found = findCommand(program, args);
    const { command, problem } = found;
    if (problem) throw problem;
    if (found.help || !command || asksForHelp(found.args)) return printHelp(program, found, output);
    requireLimits();
    const invocation = parseInvocation(command, found.args, process.env, program.options);
    return await command.run(invocation, output, program);
  } catch (error) {
    const name = [program.name, ...(found?.words ?? [])].join(' ');
    return explainFailure(error, { name, json: beforeDashes(args).includes('--json') }, output);
  }
}

/** Prints help: to stdout if it was requested, to stderr if the command line names no command. */
function printHelp(
  program: Program,
  { words, command, group, args, help }: FoundCommand,
  output: Output,
): number {
  const asked = help || asksForHelp(args);
  const print = asked ? output.out : output.err;
  if (command) print(`${commandHelp(program, words.join(' '), command)}\n`);
  else print(`${'summary' in group ? groupHelp(program, words, group) : programHelp(program)}\n`);
  return asked ? 0 : EXIT_USAGE;
}

const asksForHelp = (args: readonly string[]): boolean => beforeDashes(args).some((word) => isHelp(word));

const beforeDashes = (args: readonly string[]): readonly string[] =>
  args.includes('--') ? args.slice(0, args.indexOf('--')) : args;

function explainFailure(
  error: unknown,
  { name, json }: { readonly name: string; readonly json: boolean },
  output: Output,
): number {
  if (error instanceof OutputClosedError) return 0;
  const help = `See \`${name} --help\`.`;
  if (error instanceof UsageError) {
    const message = `${error.message} ${help}`;
    output.err(json ? errorJson({ code: 'UsageError', message }) : `Error: ${error.message}\n${help}\n`);
    return EXIT_USAGE;
  }
  const known = AppError.from(error);
  output.err(json ? errorJson(known) : printable(`Error: ${known.message}\n`));
  return EXIT_FAILED;
}
