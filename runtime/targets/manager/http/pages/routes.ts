import type { Context } from 'hono';
import { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { type Access, authenticate } from '#serve/access.ts';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** The manager's page files. The pages also use files that are shared by all programs. */
const PAGE_FILES = pageFiles('targets/manager/http/pages', new URL('browser/', import.meta.url));

/** Routes for the pages at `/` and their assets. */
export function managerPageRoutes(access: Access): Hono {
  const routes = new Hono();
  const { document, assets } = createPage(PAGE_FILES, 'index.html');
  routes.get('/', async (c, next) => {
    c.header('Vary', 'Accept', { append: true });
    if (wantsPage(c)) return await document(c, next);
    // For API clients, this path does not exist; without a key, they get the usual authentication error.
    await authenticate(access, c.req.header('Authorization'));
    throw new AppError('NotFoundError', `No such path: ${c.req.method} ${c.req.path}`);
  });
  routes.route('/', assets);
  return routes;
}

/** Whether a request is a page navigation in a browser. */
const wantsPage = (c: Context): boolean => (c.req.header('Accept') ?? '').toLowerCase().includes('text/html');
