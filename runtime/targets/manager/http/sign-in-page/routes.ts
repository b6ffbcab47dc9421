import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';
import { SECRETS_PATH, SIGN_IN_PATH, SIGNED_IN_PATH } from './address.ts';

/** Routes for the page where users sign in to servers and to which their browsers return, and the page for their secrets. */
export function signInPageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(SIGN_IN_FILES, 'sign-in.html');
  routes.get(SIGN_IN_PATH, document);
  routes.get(SIGNED_IN_PATH, document);
  routes.get(SECRETS_PATH, createPage(SIGN_IN_FILES, 'secrets.html').document);
  routes.route('/', assets);
  return routes;
}

/** The files of these pages. They also use files that all pages share. */
const SIGN_IN_FILES = pageFiles('targets/manager/http/sign-in-page', new URL('browser/', import.meta.url));
