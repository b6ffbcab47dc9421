import { readdirSync, readFileSync } from 'node:fs';
import { execa } from 'execa';

export interface Answer {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

export interface ProcessOptions {
  readonly input?: string | Uint8Array | undefined;
  readonly cwd?: string | undefined;
  readonly env?: Record<string, string | undefined> | undefined;
  readonly stripFinalNewline?: boolean;
  /** Milliseconds after which the process counts as hung. Default: 90 s. */
  readonly hungAfter?: number | undefined;
}

/** Much longer than any test process takes, and shorter than the timeout of a test. */
const HUNG_AFTER = 90_000;

/** Runs a process until it exits. If the process hangs, its test fails with a list of what its threads are waiting for. */
export async function runProcess(
  file: string,
  args: readonly string[],
  { input, cwd, env, stripFinalNewline = true, hungAfter = HUNG_AFTER }: ProcessOptions = {},
): Promise<Answer> {
  const running = execa(file, args, {
    ...(input === undefined ? { stdin: 'ignore' as const } : { input }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(env === undefined ? {} : { env }),
    stripFinalNewline,
    reject: false,
  });
  let hung: string | undefined;
  const watch = setTimeout(() => {
    hung = running.pid === undefined ? 'it never started' : describeTree(running.pid);
    running.kill('SIGKILL');
  }, hungAfter);
  try {
    const { exitCode, stdout, stderr, signal } = await running;
    const command = `${file} ${args.join(' ')}`;
    if (hung !== undefined) {
      // Printed immediately, because the test is retried and can then pass.
      console.error(`${command} hung:\n${hung}`);
      throw new Error(`${command} hung:\n${hung}\nstderr: ${stderr}`);
    }
    if (exitCode === undefined) throw new Error(`${command} was ended by ${signal}: ${stderr}`);
    return { exitCode, stdout, stderr };
  } finally {
    clearTimeout(watch);
  }
}

/** A process and its descendants: their commands, and the kernel function in which each thread waits. Linux only. */
function describeTree(pid: number): string {
  const read = (path: string): string => {
    try {
      return readFileSync(`/proc/${pid}/${path}`, 'utf8').replaceAll('\0', ' ').trim();
    } catch {
      return '?';
    }
  };
  const tasks = listTasks(pid).map((task) => {
    const state = read(`task/${task}/stat`).split(' ')[2];
    const call = read(`task/${task}/syscall`).split(' ')[0];
    return `  ${task} ${read(`task/${task}/comm`)}: ${state}, ${read(`task/${task}/wchan`)}, system call ${call}`;
  });
  const children = listTasks(pid)
    .flatMap((task) => read(`task/${task}/children`).split(' '))
    .filter((child) => /^\d+$/.test(child));
  return [
    `${pid} ${read('cmdline')}`,
    ...tasks,
    ...children.map((child) => describeTree(Number(child))),
  ].join('\n');
}

function listTasks(pid: number): string[] {
  try {
    return readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
}
