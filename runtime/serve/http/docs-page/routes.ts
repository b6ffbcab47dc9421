import { Hono } from 'hono';
import { DOCS_FILES, readDocsFile } from './files.ts';
import { servePageFile } from './page-file.ts';

/** A page of the same server. */
export interface PageLink {
  readonly href: string;
  readonly name: string;
}

const PLACE_OF_LINKS = '<!-- other pages -->';

/** The page at `/docs` that shows what `/openapi.json` says, and what it is made of; it works without the internet. */
export function docsPageRoutes(otherPages: readonly PageLink[] = []): Hono {
  const routes = new Hono();
  const links = otherPages.map(({ href, name }) => `<a href="${href}">${name}</a>`).join('\n        ');
  const page = servePageFile('docs.html', readDocsFile('docs.html').replace(PLACE_OF_LINKS, links));
  routes.get('/docs', (c, next) =>
    // What the page loads is named from where it is.
    new URL(c.req.url).pathname.endsWith('/') ? c.redirect('../docs', 308) : page(c, next),
  );
  for (const file of DOCS_FILES) {
    if (file !== 'docs.html') routes.get(`/assets/${file}`, servePageFile(file, readDocsFile(file)));
  }
  return routes;
}
