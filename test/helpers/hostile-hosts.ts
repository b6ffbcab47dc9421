import type { Hono } from 'hono';
import type { ShellEnv } from '../../runtime/serve/http/request-id.ts';

export const ATTACKER = 'attacker.example';

export const HOSTILE_HEADERS = {
  'X-Forwarded-Host': ATTACKER,
  'X-Forwarded-Proto': `https://${ATTACKER}/`,
  'X-Forwarded-Prefix': `//${ATTACKER}`,
  'X-Original-Host': ATTACKER,
  Forwarded: `host=${ATTACKER};proto=https`,
};

/** The ways in which a client names a host: what it is, the URL that it asks, and its headers. */
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

/** The routes of an app itself, each once, so that a new one is walked, too. The parameters are filled in. */
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

/** The status, headers and body; of a stream, which does not end, the body is not read. */
export async function wholeAnswer(app: Hono<ShellEnv>, url: string, init: RequestInit): Promise<string> {
  const response = await app.request(url, init);
  const head = `${response.status} ${JSON.stringify([...response.headers])}`;
  if (response.headers.get('Content-Type')?.startsWith('text/event-stream')) {
    await response.body?.cancel();
    return head;
  }
  return `${head} ${await response.text()}`;
}

/** Sends a request to each route; returns the answers that name the host of the attacker. */
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
