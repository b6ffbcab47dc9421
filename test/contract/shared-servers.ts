import { afterAll } from 'vitest';
import type { Served, ServingArm } from './serving.ts';

export interface SharedServer extends Served {
  /** The HTTP address of the server. */
  readonly url: string;
}

/** Served models that the tests in a file share; they are stopped after the last test. */
export function shareServers(): (
  arm: ServingArm,
  model: string,
  flags?: readonly string[],
) => Promise<SharedServer> {
  const running = new Map<string, Promise<SharedServer>>();
  afterAll(async () => {
    await Promise.all([...running.values()].map(async (started) => (await started).stop()));
  });
  return (arm, model, flags = []) => {
    const key = [arm.name, model, ...flags].join(' ');
    const started =
      running.get(key) ??
      arm.serve(model, flags).then((served) => ({ ...served, url: `http://127.0.0.1:${served.httpPort}` }));
    running.set(key, started);
    return started;
  };
}
