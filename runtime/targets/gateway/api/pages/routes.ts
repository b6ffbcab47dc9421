import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** Routes of the pages at `/` and of their assets. Programs get the description of the server at `/` instead. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage({ document: 'index.html', files: PAGE_FILES, read: readPageFile });
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    if (!c.req.header('Accept')?.includes('text/html')) return next();
    return document(c, next);
  });
  routes.route('/', assets);
  return routes;
}
