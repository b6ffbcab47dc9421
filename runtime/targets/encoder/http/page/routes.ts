import { Hono } from 'hono';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** Files of the page for trying the model. The page also uses the files that all pages share. */
const PAGE_FILES = pageFiles('targets/encoder/http/page', new URL('browser/', import.meta.url));

/** Routes of the page for trying the model at `/`, of the API docs at `/docs`, and of their assets. */
export function modelPageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(PAGE_FILES, 'index.html');
  routes.get('/', document);
  routes.route('/', assets);
  routes.route('/', docsPageRoutes([{ href: './', name: 'Try the model' }]));
  return routes;
}
