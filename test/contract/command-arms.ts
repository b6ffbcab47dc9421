import type { Program } from '#serve/cli/command.ts';
import { findCommand } from '#serve/cli/find-command.ts';
import { runProgram } from '#serve/cli/run.ts';
import { type Answer, runProcess } from '../helpers/run-process.ts';
import { chosenArms } from './chosen-arms.ts';

/** A mode for running a program's commands. */
export interface CommandArm {
  readonly name: string;
  run(args: readonly string[]): Promise<Answer>;
}

interface CommandArms {
  /** For tests that need several processes. */
  readonly executable: CommandArm;
  /** Runs each command once as the executable, then from source. */
  readonly sampled: CommandArm;
  readonly chosen: readonly CommandArm[];
}

/** `path` is the path of the program's executable. */
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
 * Whether this worker runs a command for the first time. The executable runs the same code as the sources, so the first run covers what it
 * adds (bundle, arguments, streams and exit codes). Help and usage errors are the same for all commands.
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
