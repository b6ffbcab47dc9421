import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { Hono } from 'hono';
import { expect, onTestFinished } from 'vitest';
import { createLog, type Logger } from '#serve/log.ts';
import { errorResponse } from '#serve/http/error-response.ts';
import { listenHttp } from '#serve/http/listen.ts';
import { type ShellEnv, requestIds } from '#serve/http/request-state.ts';
import { AppError } from '#contract/errors.ts';
import { problemFormat } from '#manager/http/problem.ts';
import { pluginMiddleware } from '#manager/plugins/middleware.ts';
import { type Plugins, type PluginsOptions, startPlugins } from '#manager/plugins/plugins.ts';
import { readPluginSettings } from '#manager/config/read-plugins.ts';
import { ROOT } from '#test/helpers/paths.ts';

const FIXTURES = join(ROOT, 'fixtures/mcp-plugins');

/** The configuration's `[plugins]`. */
type Section = Readonly<Record<string, readonly object[] | string>>;

type Log = Record<string, unknown> & { readonly msg: string };

export interface Started {
  readonly plugins: Plugins;
  readonly logged: readonly Log[];
  /** The log entries of one plugin, each as soon as it is written. */
  readonly said: (name: string, msg: string) => Promise<Log>;
}

/** Starts fixture plugins by the categories of `[plugins]`; closed when the test is over. */
export async function started(categories: Section, options: Partial<PluginsOptions> = {}): Promise<Started> {
  const settings = readPluginSettings({ dir: FIXTURES, ...categories }, (_path, message) => {
    throw new Error(message);
  });
  const logged: Log[] = [];
  const said: Started['said'] = async (name, msg) => {
    const find = (): Log | undefined =>
      logged.find((line) => line['plugin'] === `${name}.mjs` && line.msg === msg);
    await expect.poll(find).toBeDefined();
    return find() as Log;
  };
  const plugins = await startPlugins(settings, {
    baseFolder: FIXTURES,
    env: process.env,
    log: keepingLog(logged),
    ...options,
  });
  onTestFinished(() => plugins.close());
  return { plugins, logged, said };
}

const keepingLog = (logged: Log[]): Logger =>
  createLog('debug', { write: (line) => void logged.push(JSON.parse(line) as Log) });

export interface Served extends Started {
  readonly url: string;
  /** The errors of failed requests. */
  readonly thrown: readonly Error[];
}

/** Plugins in front of an HTTP server: POST /echo returns the request that reached it, and POST /other the path. */
export async function served(
  categories: Section,
  options: Partial<PluginsOptions> = {},
  addRoutes: (app: Hono<ShellEnv>) => void = () => undefined,
): Promise<Served> {
  const base = await started(categories, options);
  const { plugins } = base;
  const app = new Hono<ShellEnv>();
  app.use(requestIds(), pluginMiddleware(plugins, { dispatch: (request, env) => app.fetch(request, env) }));
  const formats = [problemFormat(() => 'http://localhost')];
  const thrown: Error[] = [];
  app.onError((error, c) => {
    thrown.push(error);
    const known = error instanceof AppError ? error : new AppError('InternalError', 'Internal error');
    return errorResponse(c, known, formats);
  });
  app.all('/echo', async (c) => {
    c.header('X-Handler', 'echo');
    c.header('Set-Cookie', 'a=1', { append: true });
    c.header('Set-Cookie', 'b=2', { append: true });
    return c.json({ body: await c.req.text(), headers: c.req.header(), query: c.req.query() });
  });
  app.post('/other', (c) => c.json({ path: c.req.path, query: c.req.query() }));
  app.get('/missing', () => {
    throw new AppError('NotFoundError', 'There is no such thing.');
  });
  for (const path of ['/healthz', '/readyz', '/metrics']) app.get(path, (c) => c.text('as ever'));
  addRoutes(app);
  const listener = await listenHttp({ app, hostname: '127.0.0.1', port: 0, portFlag: '--addr' });
  onTestFinished(() => listener.close(100));
  return { ...base, thrown, url: `http://127.0.0.1:${listener.port}` };
}

/** Links a fixture into the folder under this name, so that it can be used more than once. */
export function link(folder: string, name: string, fixture: string): void {
  symlinkSync(join(FIXTURES, `${fixture}.mjs`), join(folder, `${name}.mjs`));
}

/** The entry of one plugin, for requests only unless set otherwise. */
export const plugin = (name: string, more: object = {}): object => ({
  name: `${name}.mjs`,
  flows: ['request'],
  ...more,
});

export const post = (
  url: string,
  body: unknown = {},
  headers: Record<string, string> = {},
): Promise<Response> =>
  fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** The level of warnings in the log. */
export const WARN = 40;
