import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { SIGN_IN_PATH, SIGNED_IN_PATH } from './address.ts';
import { readSignInPageFile, SIGN_IN_PAGE_FILES } from './files.ts';

/** Routes of the page where users sign in to servers, and to which their browsers return. */
export function signInPageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage({
    document: 'sign-in.html',
    files: SIGN_IN_PAGE_FILES,
    read: readSignInPageFile,
  });
  routes.get(SIGN_IN_PATH, document);
  routes.get(SIGNED_IN_PATH, document);
  routes.route('/', assets);
  return routes;
}
