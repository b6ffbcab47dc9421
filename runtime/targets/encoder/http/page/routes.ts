import type { Hono } from 'hono';
import { Type } from 'typebox';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import { createPage } from '#serve/http/pages/page.ts';
import { pageFiles } from '#serve/http/pages/page-files.ts';
import { bodilessRoute, OPEN, type Route } from '#serve/http/route.ts';

/** Files of the page on which users can try the model. The page also uses the files that all pages share. */
const PAGE_FILES = pageFiles('targets/encoder/http/page', new URL('browser/', import.meta.url));

export interface ModelPage {
  /** The page at `/` on which users can try the model. */
  readonly page: Route;
  /** The assets of the page, and the API docs at `/docs`. */
  readonly assets: Hono;
}

export function modelPage(): ModelPage {
  const { document, assets } = createPage(PAGE_FILES, 'index.html');
  assets.route('/', docsPageRoutes([{ href: './', name: 'Try the model' }]));
  const page = bodilessRoute({
    method: 'get',
    path: '/',
    guard: OPEN,
    id: 'page',
    tag: 'Operations',
    summary: 'Web page for trying the model.',
    answer: { description: 'An HTML page.', mediaType: 'text/html', schema: Type.String(), examples: {} },
    run: (c) => document(c),
  });
  return { page, assets };
}
