import { join } from 'node:path';
import { freePort, startUntil } from '../measure/started.ts';

/** The provider for every contestant. Its own processing time is part of every request and is the same for all contestants. */
export interface Upstream {
  readonly port: number;
  /** Number of completed requests. */
  readonly count: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export async function startUpstream(): Promise<Upstream> {
  const port = await freePort();
  const count = async (): Promise<number> =>
    Number(await (await fetch(`http://127.0.0.1:${port}/count`)).text());
  const program = join(import.meta.dirname, 'upstream-process.ts');
  const { stop } = await startUntil(process.execPath, [program, String(port)], {}, count);
  return { port, count, stop };
}
