import { Hono } from 'hono';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import { createPage } from '#serve/http/pages/page.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** Routes of the page for trying the model at `/`, of the API docs at `/docs`, and of their assets. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage({ document: 'index.html', files: PAGE_FILES, read: readPageFile });
  routes.get('/', document);
  routes.route('/', assets);
  routes.route('/', docsPageRoutes([{ href: './', name: 'Try the model' }]));
  return routes;
}
