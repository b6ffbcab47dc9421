import type { Session } from './session.ts';
import { failed, loading } from './components/states.ts';
import { element } from './dom.ts';
import { linkTo, matchPath, readRoute } from './route.ts';
import { ServerError } from './server.ts';

export interface Place {
  /** The page element to fill. */
  readonly root: HTMLElement;
  /** Path parameters. */
  readonly params: Record<string, string>;
  readonly query: URLSearchParams;
  readonly session: Session;
  /** Opens a link such as `#/keys/abc`. */
  readonly navigate: (href: string) => void;
  /** Returns the ID, as a link if the user has access to a page such as `keys/:id`. */
  readonly linked: (path: string, id: string) => Node | string;
  /** Replaces the heading, e.g. with the name of the item that is shown. */
  readonly setTitle: (title: string) => void;
  /** Aborted when the user leaves the page. */
  readonly signal: AbortSignal;
}

export interface Section {
  /** Path of the page, such as `keys` or `keys/:id`; '' is the start page. */
  readonly path: string;
  /** Name in the navigation. Detail pages do not have one. */
  readonly name?: string | undefined;
  /** Heading. Default: the name. */
  readonly title?: string;
  /**
   * Path of the section to which the page belongs. Default: the section whose path is a prefix of
   * the page's path.
   */
  readonly parent?: string;
  /** Heading of the page's group in the navigation. */
  readonly group?: string;
  readonly show: (place: Place) => void | Promise<void>;
}

interface StartAppOptions {
  /** Name of the program. */
  readonly title: string;
  readonly sections: readonly Section[];
  readonly session: Session;
  /** Text below the title, e.g. the version. */
  readonly note?: string;
  /** Links to the server's other pages. */
  readonly links?: readonly { name: string; href: string }[];
}

/**
 * Starts a program with several pages. Shows the navigation, the heading and the page that the hash
 * of the address names.
 */
export function startApp({ title, sections, session, note = '', links = [] }: StartAppOptions) {
  const heading = element('h1', { tabindex: -1 });
  const main = element('main', { id: 'main' }, heading);
  const frame = navigation({ title, sections, session, note, links, show: () => void show() });
  let leaving = new AbortController();
  let path = '';
  let isFirst = true;

  const navigate = (href: string) => {
    if (href === location.hash) void show();
    else location.hash = href;
  };
  const setTitle = (text: string) => {
    heading.textContent = text;
    document.title = text === title ? title : `${text} · ${title}`;
  };

  const linked = (place: string, id: string) => {
    const href = linkTo([place, id]);
    const isElsewhere = href !== location.hash && sections.some((one) => one.path === `${place}/:id`);
    return isElsewhere ? element('a', { href }, id) : id;
  };

  async function show() {
    leaving.abort();
    leaving = new AbortController();
    const { signal } = leaving;
    const route = readRoute(location.hash);
    const found = sections.flatMap((section) => {
      const params = matchPath(section.path, route.path);
      return params ? [{ section, params }] : [];
    })[0];
    // When the user navigates back within a page, e.g. to other filters, the focus does not move.
    const isNew = isFirst || path !== route.path;
    path = route.path;
    setTitle(found?.section.title ?? found?.section.name ?? (found ? title : 'Page not found'));
    frame.select(found?.section);
    const root = element('div', { class: 'page' });
    const waiting = loading();
    main.replaceChildren(heading, root, waiting);
    if (isNew) {
      scrollTo(0, 0);
      // When the user opens another page, focus moves to its heading, so that screen readers start
      // there. On the first page, the focus does not move.
      if (!isFirst) heading.focus({ preventScroll: true });
    }
    isFirst = false;
    try {
      if (!found) root.append(missingPage());
      const { params } = found ?? { params: {} };
      const { query } = route;
      await found?.section.show({ root, params, query, session, navigate, linked, setTitle, signal });
    } catch (error) {
      if (signal.aborted) return;
      const isKnown = error instanceof ServerError;
      root.replaceChildren(failed(error as Error, isKnown ? () => void show() : undefined));
      if (!isKnown) throw error;
    } finally {
      waiting.remove();
    }
  }

  document.body.classList.add('app');
  document.body.replaceChildren(
    element('a', { class: 'skip', href: '#main' }, 'Skip to the content'),
    frame.header,
    main,
  );
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    // The hash contains the address of the page, so the link must not change it.
    event.preventDefault();
    heading.focus();
  });
  addEventListener('hashchange', () => void show());
  void show();
}

const missingPage = () =>
  element(
    'p',
    {},
    'There is no page at this address. ',
    element('a', { href: '#/' }, 'Go to the start page'),
  );

const isParentOf = (one: Section, section: Section | undefined) =>
  section?.parent === undefined
    ? one.path !== '' && section?.path.startsWith(`${one.path}/`) === true
    : one.path === section.parent;

interface NavigationOptions {
  readonly title: string;
  readonly sections: readonly Section[];
  readonly session: Session;
  readonly note: string;
  readonly links: readonly { name: string; href: string }[];
  readonly show: () => void;
}

/** The header with the navigation. In narrow windows, a button opens the navigation. */
function navigation({ title, sections, session, note, links, show }: NavigationOptions) {
  const named = sections.filter(({ name }) => name !== undefined);
  const anchors = new Map(
    named.map((one) => [one, element('a', { href: linkTo(one.path.split('/')) }, one.name ?? '')]),
  );
  const groups = Map.groupBy(named, ({ group }) => group ?? '');
  const lists = [...groups].flatMap(([group, members]) => [
    ...(group === '' ? [] : [element('h2', {}, group)]),
    element('ul', {}, ...members.map((one) => element('li', {}, anchors.get(one) ?? ''))),
  ]);
  const signOut = element('button', { type: 'button', class: 'quiet' }, 'Forget key');
  signOut.addEventListener('click', () => {
    session.signOut();
    show();
  });
  const more = element(
    'div',
    { class: 'more' },
    ...links.map(({ name, href }) => element('a', { href }, name)),
    signOut,
  );
  const nav = element('nav', { id: 'navigation', 'aria-label': 'Pages' }, ...lists, more);
  const menu = element(
    'button',
    { type: 'button', class: 'quiet menu', 'aria-expanded': 'false', 'aria-controls': 'navigation' },
    'Menu',
  );
  const open = (isOpen: boolean) => menu.setAttribute('aria-expanded', String(isOpen));
  menu.addEventListener('click', () => open(menu.getAttribute('aria-expanded') === 'false'));
  nav.addEventListener('click', ({ target }) => {
    if (target instanceof HTMLAnchorElement) open(false);
  });
  const brand = element(
    'p',
    { class: 'brand' },
    element('a', { href: '#/' }, title),
    ...(note === '' ? [] : [element('span', {}, note)]),
  );
  return {
    header: element('header', { class: 'frame' }, brand, menu, nav),

    /** `section`: a detail page belongs to the section whose path is a prefix of the page's path. */
    select(section: Section | undefined) {
      for (const [one, anchor] of anchors) {
        const isCurrent = one === section;
        const isParent = section?.name === undefined && isParentOf(one, section);
        if (isCurrent) anchor.setAttribute('aria-current', 'page');
        else if (isParent) anchor.setAttribute('aria-current', 'true');
        else anchor.removeAttribute('aria-current');
      }
      signOut.hidden = session.key() === '';
    },
  };
}
