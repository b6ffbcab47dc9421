import { Hono } from 'hono';
import { servePageFile } from '../../../../serve/http/docs-page/page-file.ts';
import { docsPageRoutes } from '../../../../serve/http/docs-page/routes.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** The page to try the model at `/`, the one to read the API at `/docs`, and what both are made of. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  for (const file of PAGE_FILES) {
    routes.get(file === 'index.html' ? '/' : `/assets/${file}`, servePageFile(file, readPageFile(file)));
  }
  routes.route('/', docsPageRoutes([{ href: './', name: 'Try the model' }]));
  return routes;
}
