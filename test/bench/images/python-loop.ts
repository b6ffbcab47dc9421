import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from '../measure/child.ts';
import type { ImageLoad, ImageLoadResult } from './image-load.ts';

/** A Python process that classifies images without a server. */
export interface PythonLoop {
  readonly name: string;
  readonly pid: number;
  /** The labels of the first image, as JSON. */
  readonly first: string;
  readonly load: (load: ImageLoad) => Promise<ImageLoadResult>;
  readonly stop: () => Promise<void>;
}

/** Starts a process that reads the sizes of loads from stdin, and prints a line for each. */
export async function startPythonLoop({
  name,
  command,
  args,
}: Program & { readonly name: string }): Promise<PythonLoop> {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<string> => {
    const line = await lines.next();
    if (line.done === true) throw new Error(`${command} ${args.join(' ')} ended`);
    return line.value;
  };
  const first = await next();
  return {
    name,
    pid: child.pid ?? 0,
    first,
    async load({ count, concurrency }) {
      child.stdin.write(`${count} ${concurrency}\n`);
      const { seconds, latencies } = JSON.parse(await next()) as { seconds: number; latencies: number[] };
      return { imagesPerSecond: count / seconds, latencies };
    },
    stop: () => ended(child),
  };
}

async function ended(child: ChildProcess): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  child.on('exit', () => resolve());
  child.stdin?.end();
  await promise;
}
