import { portIn, startExecutable } from '../../helpers/start-executable.ts';

export interface RunningProgram {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts an executable and waits until it serves HTTP. */
export async function serve(
  path: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<RunningProgram> {
  const running = startExecutable(path, args, env);
  const port = portIn(await running.said(/^ +HTTP +.*\n/m), 'HTTP');
  return {
    url: `http://127.0.0.1:${port}`,
    async stop() {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
}

/** Sends JSON with a key, and returns the JSON response. Throws an error if the status is not 2xx. */
export const callerOf =
  (url: string, key: string) =>
  // oxlint-disable-next-line typescript/no-explicit-any -- responses of three programs.
  async (method: string, path: string, body?: unknown): Promise<any> => {
    const isRaw = body instanceof FormData;
    const response = await fetch(url + path, {
      method,
      headers: {
        Authorization: `Bearer ${key}`,
        ...(body === undefined || isRaw ? {} : { 'Content-Type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: isRaw ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : text;
  };
