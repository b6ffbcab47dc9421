import type { Hono } from 'hono';
import { pagesAtRoot } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';

/** The gateway's page files. The pages also use files that all programs share. */
export const PAGE_FILES = pageFiles('targets/gateway/api/pages', new URL('browser/', import.meta.url));

/** Routes for the pages at `/` and their assets. For API clients, `/` returns the server's description instead. */
export const gatewayPageRoutes = (): Hono => pagesAtRoot(PAGE_FILES, (_, next) => next());
