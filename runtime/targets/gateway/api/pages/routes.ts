import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** Files of the pages of the gateway. The pages also use the files that all pages share. */
export const PAGE_FILES = pageFiles('targets/gateway/api/pages', new URL('browser/', import.meta.url));

/** Routes of the pages at `/` and of their assets. Programs get the description of the server at `/` instead. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(PAGE_FILES, 'index.html');
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    if (!c.req.header('Accept')?.includes('text/html')) return next();
    return document(c, next);
  });
  routes.route('/', assets);
  return routes;
}
