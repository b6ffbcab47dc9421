import type { Hono } from 'hono';
import type { ShellEnv } from '#serve/http/request-state.ts';

export const ATTACKER = 'attacker.example';

export const HOSTILE_HEADERS = {
  'X-Forwarded-Host': ATTACKER,
  'X-Forwarded-Proto': `https://${ATTACKER}/`,
  'X-Forwarded-Prefix': `//${ATTACKER}`,
  'X-Original-Host': ATTACKER,
  Forwarded: `host=${ATTACKER};proto=https`,
};

/** The ways in which a client specifies a host: its description, the request URL, and the headers. */
export const HOSTILE_WAYS: readonly (readonly [string, string, Readonly<Record<string, string>>])[] = [
  ['Host', `http://${ATTACKER}`, { host: ATTACKER }],
  ['forwarded headers', 'http://localhost:8090', { host: 'localhost:8090', ...HOSTILE_HEADERS }],
  ['both', `http://${ATTACKER}`, { host: ATTACKER, ...HOSTILE_HEADERS }],
];

export interface WalkedRoute {
  readonly method: string;
  readonly path: string;
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** The routes of an app, each once, so that new routes are included automatically. The parameters are filled in. */
export function routesOf(
  app: Hono<ShellEnv>,
  parameter: (route: string) => string = () => 'echo',
): readonly WalkedRoute[] {
  const found = app.routes.flatMap(({ method, path }) =>
    (method === 'ALL' ? METHODS : [method]).map((each) => ({
      method: each,
      path: path.replaceAll('*', 'x').replaceAll(/:[a-z]+(\{[^}]*\})?/gi, () => parameter(path)),
    })),
  );
  const all = new Map(found.map((route) => [`${route.method} ${route.path}`, route]));
  return [...all.values()].toSorted((a, b) => METHODS.indexOf(a.method) - METHODS.indexOf(b.method));
}

/** The status, headers and body; the body of an endless stream is not read. */
async function wholeAnswer(app: Hono<ShellEnv>, url: string, init: RequestInit): Promise<string> {
  const response = await app.request(url, init);
  const head = `${response.status} ${JSON.stringify([...response.headers])}`;
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return head;
  }
  return `${head} ${await response.text()}`;
}

/** Sends a request to each route; returns the responses that contain the attacker's host. */
export async function answersWithAttacker(
  app: Hono<ShellEnv>,
  routes: readonly WalkedRoute[],
  base: string,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const bad: string[] = [];
  for (const { method, path } of routes) {
    const body = method === 'GET' || method === 'DELETE' || method === 'OPTIONS' ? {} : { body: '{}' };
    const all = { 'Content-Type': 'application/json', ...headers };
    const answer = await wholeAnswer(app, base + path, { method, headers: all, ...body });
    if (answer.includes(ATTACKER)) bad.push(`${method} ${path}: ${answer}`);
  }
  return bad;
}

/** Requests that a page from another origin can make a browser send to a server at localhost:8080 or 10.0.0.1:8080. */
export const FOREIGN_PAGES: readonly Readonly<Record<string, string>>[] = [
  { host: 'evil.example' },
  { host: 'evil.example:8080', origin: 'http://evil.example:8080' },
  { host: 'localhost.evil.example' },
  { host: 'localhost:8080', origin: 'https://evil.example' },
  { host: '10.0.0.1:8080', origin: 'http://10.0.0.2:8080' },
  { host: 'localhost:8080', origin: 'http://localhost:3000' },
  { host: 'localhost:8080', origin: 'null' },
];

/** Sends a request to each route of an app; returns the status, method and path of each response. */
export async function statusesOf(
  app: Hono<ShellEnv>,
  headers: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const statuses: string[] = [];
  for (const { method, path } of routesOf(app)) {
    const body = method === 'GET' ? {} : { body: '{}' };
    const all = { 'Content-Type': 'application/json', ...headers };
    const response = await app.request(`http://127.0.0.1${path}`, { method, headers: all, ...body });
    await response.body?.cancel();
    statuses.push(`${response.status} ${method} ${path}`);
  }
  return statuses;
}

export const withStatus = (statuses: readonly string[], status: number): readonly string[] =>
  statuses.filter((one) => one.startsWith(`${status} `));

export const withoutStatus = (statuses: readonly string[], status: number): readonly string[] =>
  statuses.filter((one) => !one.startsWith(`${status} `));
