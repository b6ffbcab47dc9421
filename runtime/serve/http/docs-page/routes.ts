import { Hono } from 'hono';
import { createPage, sharedAssetRoutes } from '../pages/page.ts';
import { pageFiles } from '../pages/page-files.ts';

/** Files of the API docs page. */
const DOCS_FILES = pageFiles('serve/http/docs-page', new URL('browser/', import.meta.url));

/** A link to another page of the same server. */
export interface PageLink {
  readonly href: string;
  readonly name: string;
}

const PLACE_OF_LINKS = '<!-- other pages -->';

/**
 * Routes of the `/docs` page that shows `/openapi.json`, of its assets and of the assets that all
 * pages share. The page works offline.
 */
export function docsPageRoutes(otherPages: readonly PageLink[] = []): Hono {
  const routes = new Hono();
  const links = otherPages.map(({ href, name }) => `<a href="${href}">${name}</a>`).join('\n        ');
  const { document, assets } = createPage(DOCS_FILES, 'docs.html', (text) =>
    text.replace(PLACE_OF_LINKS, links),
  );
  routes.get('/docs', (c) =>
    // The page loads the assets from relative paths.
    new URL(c.req.url).pathname.endsWith('/') ? c.redirect('../docs', 308) : document(c),
  );
  routes.route('/', assets);
  routes.route('/', sharedAssetRoutes());
  return routes;
}
