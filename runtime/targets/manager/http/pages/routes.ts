import { Hono } from 'hono';
import { servePageFile } from '../../../../serve/http/pages/page-file.ts';
import { PAGE_FILES, readPageFile } from './files.ts';

/** Routes of the pages at `/` and of their assets. */
export function pageRoutes(): Hono {
  const routes = new Hono();
  for (const file of PAGE_FILES) {
    routes.get(file === 'index.html' ? '/' : `/assets/${file}`, servePageFile(file, readPageFile(file)));
  }
  return routes;
}
