import type { Env, Hono } from 'hono';

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

/** Returns the methods that the app has a route for at this path; middleware for all methods does not count. */
export function allowedMethods<E extends Env>(app: Hono<E>, path: string): string[] {
  const methods = METHODS.filter((method) =>
    app.router.match(method, path)[0].some(([[, route]]) => route.method === method),
  );
  return methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
}
