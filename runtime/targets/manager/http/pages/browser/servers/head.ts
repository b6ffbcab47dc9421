import type { Place } from '#serve/http/pages/browser/start-app.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { linkTo } from '#serve/http/pages/browser/route.ts';

/** A server's pages. `needs` is the permission that a page requires; empty if every key can open the page. */
const PAGES = [
  { path: '', name: 'Overview', needs: 'admin' },
  { path: 'log', name: 'Log', needs: 'admin' },
  { path: 'tools', name: 'Tools', needs: '' },
  { path: 'prompts', name: 'Prompts', needs: '' },
  { path: 'resources', name: 'Resources', needs: '' },
  { path: 'configuration', name: 'Configuration', needs: 'edit' },
];

/** The heading of a server page, with links to the server's other pages. */
export function serverHead(
  { params, setTitle }: Place,
  current: string,
  caller: { admin: boolean; edit: boolean },
) {
  const { name = '' } = params;
  setTitle(name);
  const links = PAGES.filter(
    ({ needs }) => needs === '' || (needs === 'admin' ? caller.admin : caller.edit),
  ).map(({ path, name: title }) =>
    element(
      'li',
      {},
      element(
        'a',
        {
          href: linkTo(['servers', name, ...(path === '' ? [] : [path])]),
          ...(path === current ? { 'aria-current': 'page' } : {}),
        },
        title,
      ),
    ),
  );
  return element('nav', { class: 'tabs', 'aria-label': `Pages of ${name}` }, element('ul', {}, ...links));
}
