import { Hono } from 'hono';
import { readSharedFile, SHARED_FILES } from './files.ts';
import { servePageFile } from './page-file.ts';

/** Routes of the files that the pages of all programs share. */
export function sharedAssetRoutes(): Hono {
  const routes = new Hono();
  for (const file of SHARED_FILES) routes.get(`/assets/${file}`, servePageFile(file, readSharedFile(file)));
  return routes;
}
