import { listenHttp } from '#serve/http/listen.ts';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { createRedactor } from '#serve/redact.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { type ManagerApi, managerApi } from '#manager/http/app.ts';
import type { ManagerAppOptions } from '#manager/http/app-options.ts';
import { problemWithoutPath } from '#manager/http/problem.ts';
import { namedSecrets } from '#test/helpers/secrets.ts';
import { type Managed, openManager } from '../mcp/managed.ts';

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests inspect its structure.
  readonly body: any;
}

export interface OpenApi {
  readonly managed: Managed;
  readonly app: ManagerApi['app'];
  readonly request: (path: string, init?: RequestInit) => Promise<Answer>;
  readonly get: (path: string, headers?: Record<string, string>) => Promise<Answer>;
  /** Strings are sent as they are, anything else as JSON. */
  readonly post: (path: string, body?: unknown, headers?: Record<string, string>) => Promise<Answer>;
  /** Serves the app on the network; closed together with it. */
  readonly listen: () => Promise<string>;
  readonly close: () => Promise<void>;
}

export interface OpenApiOptions extends Partial<Omit<ManagerAppOptions, 'redact'>> {
  readonly servers: readonly ServerSpec[];
  readonly keys?: readonly KeyRecord[];
  readonly secrets?: readonly string[];
}

/** The HTTP API in front of real servers. */
export async function openApi({ servers, keys, secrets = [], ...options }: OpenApiOptions): Promise<OpenApi> {
  const managed = await openManager(keys ? { servers, keys } : { servers });
  const appOptions = {
    hostRules: { hostname: '127.0.0.1' },
    redact: createRedactor(namedSecrets(...secrets)),
    ...options,
  };
  const { app, direct } = managerApi(managed.context, appOptions);
  const closers: (() => Promise<void>)[] = [() => managed.close()];
  const request = async (path: string, init: RequestInit = {}): Promise<Answer> =>
    readAnswer(await app.request(path, init));
  return {
    managed,
    app,
    request,
    get: (path, headers = {}) => request(path, { headers }),
    post: (path, body, headers = {}) =>
      request(path, {
        method: 'POST',
        headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
        ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      }),
    async listen() {
      const hostname = '127.0.0.1';
      const listener = await listenHttp({
        app,
        direct,
        hostname,
        port: 0,
        portFlag: '--addr',
        refuse: problemWithoutPath,
      });
      closers.push(() => listener.close(0));
      return `http://${hostname}:${listener.port}`;
    },
    async close() {
      for (const close of closers.toReversed()) await close();
    },
  };
}

export async function readAnswer(response: Response): Promise<Answer> {
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: jsonOf(text) };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
