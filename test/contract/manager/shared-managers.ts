import { afterAll, afterEach } from 'vitest';
import type { ManagerArm, ManagerFiles, RunningManager } from './arms.ts';

export interface Api extends RunningManager {
  /** The parsed body of an answer, with its status and headers. */
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- what it is made of is what tests look at.
  readonly body: any;
  readonly text: string;
}

type Start = (arm: ManagerArm, files: ManagerFiles, flags?: readonly string[]) => Promise<Api>;

/** Managers that the tests of a file share; they are stopped after its last test. */
export function shareManagers(): Start {
  const running = new Map<string, Promise<Api>>();
  afterAll(async () => {
    await Promise.all([...running.values()].map(async (started) => (await started).stop()));
  });
  return (arm, files, flags = []) => {
    const key = JSON.stringify([arm.name, files, flags]);
    const started = running.get(key) ?? arm.start(files, flags).then(withApi);
    running.set(key, started);
    return started;
  };
}

/** Managers that a test has for itself; they are stopped after it. */
export function useManagers(): Start {
  const running: Api[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((manager) => manager.stop()));
  });
  return async (arm, files, flags = []) => {
    const api = withApi(await arm.start(files, flags));
    running.push(api);
    return api;
  };
}

export function withApi(manager: RunningManager): Api {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(manager.url + path, init);
    const text = await answer.text();
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : text };
  };
  return {
    ...manager,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
