import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { actingOAuth } from '../../config/spec.ts';
import type { ManagerContext } from '../../context.ts';

const KEYS_PATH = '/.well-known/jwks.json';

/** Serves the public keys of signed identities. Without a server that gets them, no key is created. */
export function identityKeyRoutes({ supervisor, identities }: ManagerContext): Hono {
  const routes = new Hono();
  const signs = (): boolean =>
    supervisor.names().some((name) => {
      const spec = supervisor.get(name)?.spec();
      return spec !== undefined && actingOAuth(spec)?.grant === 'signed_identity';
    });
  routes.get(KEYS_PATH, async (c) => {
    if (!identities || !signs()) {
      throw new AppError('NotFoundError', 'No server of this manager gets signed identities.');
    }
    c.header('Cache-Control', 'public, max-age=300');
    return c.json(await identities.keys());
  });
  return routes;
}
