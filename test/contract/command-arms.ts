import type { Program } from '#serve/cli/command.ts';
import { findCommand } from '#serve/cli/find-command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { chosenArms } from './chosen-arms.ts';

/** A way to run the commands of a program. */
export interface CommandArm {
  readonly name: string;
  run(args: readonly string[]): Promise<Answer>;
}

interface CommandArms {
  /** For what takes several processes. */
  readonly executable: CommandArm;
  /** Each command once as the executable, again from source. */
  readonly sampled: CommandArm;
  readonly chosen: readonly CommandArm[];
}

/** `path` is the path of the executable of the program. */
export function commandArms(program: Program, path: () => string): CommandArms {
  const inProcess: CommandArm = {
    name: 'in-process',
    run: (args) => runHere(program, args),
  };
  const executable: CommandArm = {
    name: 'executable',
    run: (args) => runProcess(path(), args, { stripFinalNewline: false }),
  };
  const isFirst = firstOfEach(program);
  const sampled: CommandArm = {
    name: 'executable, again in-process',
    run: (args) => (isFirst(args) ? executable : inProcess).run(args),
  };
  return { executable, sampled, chosen: chosenArms({ inProcess, executable, sampled }) };
}

/** Runs a command in this process. */
export async function runHere(program: Program, args: readonly string[]): Promise<Answer> {
  let [stdout, stderr] = ['', ''];
  const exitCode = await runProgram(program, args, {
    out: (text) => void (stdout += text),
    err: (text) => void (stderr += text),
  });
  return { exitCode, stdout, stderr };
}

/**
 * Whether a command is asked for the first time by this worker. The executable runs the code of the sources, so what it adds (its
 * bundle, arguments, streams and exit codes) shows in the first run. Help and mistakes on the command line are the same for all.
 */
export function firstOfEach(program: Program) {
  const seen = new Set<string>();
  return (args: readonly string[]): boolean => {
    const kind = kindOf(program, args);
    if (seen.has(kind)) return false;
    seen.add(kind);
    return true;
  };
}

function kindOf(program: Program, args: readonly string[]): string {
  const { words, command, help, problem } = findCommand(program, args);
  if (problem) return 'mistake';
  return help || !command || args.includes('--help') ? 'help' : words.join(' ');
}
