import { afterAll, afterEach } from 'vitest';

/** One of our servers, started by tests. */
export interface RunningService {
  readonly url: string;
  /** Contains its input files. */
  readonly folder: string;
  stop(): Promise<void>;
  /** The server's log lines, which are complete once it has stopped. */
  log(): string;
}

/** A mode for running one of our servers. */
export interface ServiceArm<Files, Running extends RunningService = RunningService> {
  readonly name: string;
  start(files: Files, flags?: readonly string[]): Promise<Running>;
}

/** The parsed response body, with status and headers. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests examine its structure.
  readonly body: any;
  readonly text: string;
}

export interface Api extends RunningService {
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  readonly post: (path: string, body: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Any method; a body that is not text is sent as JSON. */
  readonly ask: (path: string, init: RequestInit) => Promise<Answer>;
}

export type StartService<Files, Running extends RunningService = RunningService> = (
  arm: ServiceArm<Files, Running>,
  files: Files,
  flags?: readonly string[],
) => Promise<Running & Api>;

/** Servers that the tests in a file share; they are stopped after the last test. */
export function shareServices<Files, Running extends RunningService = RunningService>(): StartService<
  Files,
  Running
> {
  const running = new Map<string, Promise<Running & Api>>();
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

/** Servers for a single test; they are stopped after it. */
export function useServices<Files, Running extends RunningService = RunningService>(): StartService<
  Files,
  Running
> {
  const running: RunningService[] = [];
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
  });
  return async (arm, files, flags = []) => {
    const api = withApi(await arm.start(files, flags));
    running.push(api);
    return api;
  };
}

export function withApi<Running extends RunningService>(service: Running): Running & Api {
  const ask = async (path: string, init: RequestInit): Promise<Answer> => {
    const answer = await fetch(service.url + path, init);
    const text = await answer.text();
    const json = /json/.test(answer.headers.get('content-type') ?? '');
    return { status: answer.status, headers: answer.headers, text, body: json ? JSON.parse(text) : text };
  };
  return {
    ...service,
    ask,
    get: (path, headers = {}) => ask(path, { headers }),
    post: (path, body, headers = {}) =>
      ask(path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: typeof body === 'string' ? body : JSON.stringify(body),
      }),
  };
}
