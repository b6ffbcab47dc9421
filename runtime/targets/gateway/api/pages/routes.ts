import { Hono } from 'hono';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** The gateway's page files. The pages also use files that all programs share. */
export const PAGE_FILES = pageFiles('targets/gateway/api/pages', new URL('browser/', import.meta.url));

/** Routes for the pages at `/` and their assets. For API clients, `/` returns the server's description instead. */
export function gatewayPageRoutes(): Hono {
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
