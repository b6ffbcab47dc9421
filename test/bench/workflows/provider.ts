import { join } from 'node:path';
import { freePort, startUntil } from '../measure/started.ts';

/** A provider in a separate process, so that its time does not count for the gateway. */
export interface Provider {
  readonly port: number;
  /** Number of completed requests. */
  readonly count: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

export async function startProvider(delayMs: number): Promise<Provider> {
  const port = await freePort();
  const count = async (): Promise<number> =>
    Number(await (await fetch(`http://127.0.0.1:${port}/count`)).text());
  const program = join(import.meta.dirname, 'provider-process.ts');
  const { stop } = await startUntil(process.execPath, [program, String(port), String(delayMs)], {}, count);
  return { port, count, stop };
}
