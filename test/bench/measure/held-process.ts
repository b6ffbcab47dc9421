import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, constants, openSync, read, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { type Program, runProgram } from './child.ts';
import { processorTime } from './processor-time.ts';

/** A process that is suspended where it writes its results, while all required data is still in memory. */
export interface HeldProcess {
  readonly pid: number;
  release(): void;
}

/**
 * Runs a program until it blocks on a pipe that is not read, and its other threads are idle. Its output must be larger than the capacity of
 * a pipe (64 KiB).
 */
export async function hold(program: Program, folder: string): Promise<HeldProcess> {
  const path = join(folder, `held-${process.pid}-${(held += 1)}`);
  await runProgram({ command: 'mkfifo', args: [path] });
  // Opened for reading and writing, which on Linux does not wait for the other side.
  const fd = openSync(path, constants.O_RDWR);
  rmSync(path);
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', fd, 'inherit'],
  });
  const ended = endOf(child);
  // A child that exits silently must not block the read below forever.
  void ended.then(() => writeSync(fd, '.')).catch(() => {});
  await promisify(read)(fd, Buffer.alloc(1), 0, 1, null);
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null) {
    throw new Error(`${program.command} ended before it could be measured`);
  }
  await idle(pid);
  return {
    pid,
    release() {
      child.kill('SIGKILL');
      void ended.then(() => closeSync(fd));
    },
  };
}

let held = 0;
const LOOK_EVERY_MS = 100;
const IDLE_LOOKS = 5;

/** Waits until the process has used no CPU time for half a second. */
async function idle(pid: number): Promise<void> {
  let before = -1;
  for (let looks = 0; looks < IDLE_LOOKS;) {
    const now = processorTime(pid).own;
    looks = now === before ? looks + 1 : 0;
    before = now;
    await sleep(LOOK_EVERY_MS);
  }
}

const endOf = (child: ChildProcess): Promise<void> =>
  new Promise((resolve, reject) => {
    child.on('exit', () => resolve());
    child.on('error', reject);
  });
