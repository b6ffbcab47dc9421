import { Hono } from 'hono';
import { docsPageRoutes } from '../../../../serve/http/docs-page/routes.ts';
import { servePageFile } from '../../../../serve/http/pages/page-file.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** Routes of the page for trying the model at `/`, of the API docs at `/docs`, and of their assets. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  for (const file of PAGE_FILES) {
    routes.get(file === 'index.html' ? '/' : `/assets/${file}`, servePageFile(file, readPageFile(file)));
  }
  routes.route('/', docsPageRoutes([{ href: './', name: 'Try the model' }]));
  return routes;
}
