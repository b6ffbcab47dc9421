import { AppError } from '../../contract/errors.ts';
import { ReaderGone } from '../../platform/stdio.ts';
import { EXIT_FAILED, EXIT_USAGE } from '../errors/exit-code.ts';
import { type Output, type Program, UsageError } from './command.ts';
import { commandHelp, programHelp } from './help.ts';
import { parseInvocation } from './parse.ts';

/** Runs the command that `args` name and returns the exit code. Errors are one sentence on stderr, never a stack trace. */
export async function runProgram(program: Program, args: readonly string[], output: Output): Promise<number> {
  const [name, ...rest] = args;
  if (name === undefined || name === '--help' || name === '-h' || name === 'help') {
    (name === undefined ? output.err : output.out)(`${programHelp(program)}\n`);
    return name === undefined ? EXIT_USAGE : 0;
  }
  const key = name === '--version' || name === '-V' ? 'version' : name;
  const command = Object.hasOwn(program.commands, key) ? program.commands[key] : undefined;
  try {
    if (!command) {
      const known = Object.keys(program.commands).join(', ');
      throw new UsageError(`Unknown command ${JSON.stringify(name)}. Commands: ${known}.`);
    }
    if (asksForHelp(rest)) {
      output.out(`${commandHelp(program, key, command)}\n`);
      return 0;
    }
    return await command.run(parseInvocation(command, rest, process.env), output);
  } catch (error) {
    return explainFailure(error, `${program.name}${command ? ` ${key}` : ''}`, output);
  }
}

function asksForHelp(args: readonly string[]): boolean {
  const own = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return own.includes('--help') || own.includes('-h');
}

function explainFailure(error: unknown, name: string, output: Output): number {
  if (error instanceof ReaderGone) return 0;
  if (error instanceof UsageError) {
    output.err(`Error: ${error.message}\nSee \`${name} --help\`.\n`);
    return EXIT_USAGE;
  }
  const known = AppError.from(error);
  output.err(`Error: ${known.message}\n`);
  return EXIT_FAILED;
}
