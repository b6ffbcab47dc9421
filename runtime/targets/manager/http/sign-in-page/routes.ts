import { Hono } from 'hono';
import { servePageFile } from '../../../../serve/http/pages/page-file.ts';
import { SIGN_IN_PATH, SIGNED_IN_PATH } from './address.ts';
import { readSignInPageFile } from './files.ts';

/** Routes of the page where users sign in to servers, and to which their browsers return. */
export function signInPageRoutes(): Hono {
  const routes = new Hono();
  const page = servePageFile('sign-in.html', readSignInPageFile('sign-in.html'));
  routes.get(SIGN_IN_PATH, page);
  routes.get(SIGNED_IN_PATH, page);
  for (const file of ['sign-in.js', 'key-form.js'] as const)
    routes.get(`/assets/${file}`, servePageFile(file, readSignInPageFile(file)));
  return routes;
}
