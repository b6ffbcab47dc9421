import { Hono } from 'hono';
import { modelPage } from '#encoder/http/page/routes.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { addRoutes } from '#serve/http/route.ts';

/** An app that serves only the pages of a model executable. */
export function modelPageApp(): Hono {
  const { page, assets } = modelPage();
  const app = new Hono<ShellEnv>();
  addRoutes(app, [page]);
  return new Hono().route('/', app).route('/', assets);
}
