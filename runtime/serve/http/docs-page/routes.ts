import { Hono } from 'hono';
import { servePageFile } from '../pages/page-file.ts';
import { sharedAssetRoutes } from '../pages/routes.ts';
import { DOCS_FILES, readDocsFile } from './files.ts';

/** A link to another page of the same server. */
export interface PageLink {
  readonly href: string;
  readonly name: string;
}

const PLACE_OF_LINKS = '<!-- other pages -->';

/** Routes of the page at `/docs` that shows `/openapi.json`, of its assets and of those that all pages share; it works offline. */
export function docsPageRoutes(otherPages: readonly PageLink[] = []): Hono {
  const routes = new Hono();
  const links = otherPages.map(({ href, name }) => `<a href="${href}">${name}</a>`).join('\n        ');
  const page = servePageFile('docs.html', readDocsFile('docs.html').replace(PLACE_OF_LINKS, links));
  routes.get('/docs', (c, next) =>
    // The assets are loaded with paths relative to the page.
    new URL(c.req.url).pathname.endsWith('/') ? c.redirect('../docs', 308) : page(c, next),
  );
  for (const file of DOCS_FILES) {
    if (file !== 'docs.html') routes.get(`/assets/${file}`, servePageFile(file, readDocsFile(file)));
  }
  routes.route('/', sharedAssetRoutes());
  return routes;
}
