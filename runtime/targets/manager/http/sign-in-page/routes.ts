import { Hono } from 'hono';
import { servePageFile } from '../../../../serve/http/docs-page/page-file.ts';
import { SIGN_IN_PATH, SIGNED_IN_PATH } from './address.ts';
import { readSignInPageFile } from './files.ts';

/** Routes of the page where users sign in to servers, and to which their browsers return. */
export function signInPageRoutes(): Hono {
  const routes = new Hono();
  const page = servePageFile('sign-in.html', readSignInPageFile('sign-in.html'));
  routes.get(SIGN_IN_PATH, page);
  routes.get(SIGNED_IN_PATH, page);
  routes.get('/assets/sign-in.js', servePageFile('sign-in.js', readSignInPageFile('sign-in.js')));
  return routes;
}
