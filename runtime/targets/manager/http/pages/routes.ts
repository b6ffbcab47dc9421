import type { Hono } from 'hono';
import { AppError } from '#contract/errors.ts';
import { type Access, authenticate } from '#serve/access.ts';
import { pagesAtRoot } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** The manager's page files. The pages also use files that are shared by all programs. */
const PAGE_FILES = pageFiles('targets/manager/http/pages', new URL('browser/', import.meta.url));

/** Routes for the pages at `/` and their assets. */
export const managerPageRoutes = (access: Access): Hono =>
  pagesAtRoot(PAGE_FILES, async (c) => {
    // For API clients, this path does not exist; without a key, they get the usual authentication error.
    await authenticate(access, c.req.header('Authorization'));
    throw new AppError('NotFoundError', `No such path: ${c.req.method} ${c.req.path}`);
  });
