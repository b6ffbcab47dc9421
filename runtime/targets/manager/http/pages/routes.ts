import type { Context } from 'hono';
import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { type Access, authenticate } from '#serve/access.ts';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** Files of the pages of the manager. The pages also use the files that all pages share. */
const PAGE_FILES = pageFiles('targets/manager/http/pages', new URL('browser/', import.meta.url));

/** Routes of the pages at `/` and of their assets. */
export function pageRoutes(access: Access): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(PAGE_FILES, 'index.html');
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    if (wantsPage(c)) return await document(c, next);
    // For programs, the path does not exist, and without a key they do not find out.
    await authenticate(access, c.req.header('Authorization'));
    throw new AppError('NotFoundError', `No such path: ${c.req.method} ${c.req.path}`);
  });
  routes.route('/', assets);
  return routes;
}

/** Whether a request comes from the address bar of a browser. */
const wantsPage = (c: Context): boolean => (c.req.header('Accept') ?? '').toLowerCase().includes('text/html');
