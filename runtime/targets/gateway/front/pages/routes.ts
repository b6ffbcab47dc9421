import { Hono } from 'hono';
import { servePageFile } from '../../../../serve/http/pages/page-file.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** Routes of the pages at `/` and of their assets. Programs get the description of the server at `/` instead. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  const page = servePageFile('index.html', readPageFile('index.html'));
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    if (!c.req.header('Accept')?.includes('text/html')) return next();
    return page(c, next);
  });
  for (const file of PAGE_FILES) {
    if (file !== 'index.html') routes.get(`/assets/${file}`, servePageFile(file, readPageFile(file)));
  }
  return routes;
}
