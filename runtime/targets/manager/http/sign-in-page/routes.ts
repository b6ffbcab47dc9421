import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { SIGN_IN_PATH, SIGNED_IN_PATH } from './address.ts';
import { readTextAsset } from '#platform/text-asset.ts';

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

/** Files of the sign-in page, by path under `browser/`. The page also uses files of all pages. */
const SIGN_IN_PAGE_FILES = ['sign-in.html', 'sign-in.js', 'key-form.js'] as const;

const readSignInPageFile = (file: (typeof SIGN_IN_PAGE_FILES)[number]): string =>
  readTextAsset(`page/${file}`, new URL(`browser/${file}`, import.meta.url));
