/** @import { Session } from './session.js' */
import { failed, loading } from './components/states.js';
import { element } from './dom.js';
import { linkTo, matchPath, readRoute } from './route.js';
import { ServerError } from './server.js';

/**
 * @typedef {object} Place
 * @property {HTMLElement} root the part of the page to fill
 * @property {Record<string, string>} params parameters of the path
 * @property {URLSearchParams} query
 * @property {Session} session
 * @property {(href: string) => void} navigate opens a link such as `#/keys/abc`
 * @property {(path: string, id: string) => Node | string} linked the id, as a link to a page such as `keys/:id` if the user has it
 * @property {(title: string) => void} setTitle replaces the heading, e.g. by the name of what is shown
 * @property {AbortSignal} signal aborted when the user leaves the page
 */

/**
 * @typedef {object} Section
 * @property {string} path such as `keys` or `keys/:id`; '' is the start page
 * @property {string | undefined} [name] name in the navigation; pages of details have none
 * @property {string} [title] heading; default: the name
 * @property {string} [parent] path of the section that it belongs to; default: the one whose path begins its own
 * @property {string} [group] heading of its part of the navigation
 * @property {(place: Place) => void | Promise<void>} show
 */

/**
 * Starts a program with several pages: navigation, headings, and the page that the hash of the address names.
 * @param {object} options
 * @param {string} options.title name of the program
 * @param {readonly Section[]} options.sections
 * @param {Session} options.session
 * @param {string} [options.note] shown below the title, e.g. the version
 * @param {readonly { name: string, href: string }[]} [options.links] links to other pages of the server
 */
export function startApp({ title, sections, session, note = '', links = [] }) {
  const heading = element('h1', { tabindex: -1 });
  const main = element('main', { id: 'main' }, heading);
  const frame = navigation({ title, sections, session, note, links, show: () => void show() });
  let leaving = new AbortController();
  let path = '';
  let isFirst = true;

  const navigate = (/** @type {string} */ href) => {
    if (href === location.hash) void show();
    else location.hash = href;
  };
  const setTitle = (/** @type {string} */ text) => {
    heading.textContent = text;
    document.title = text === title ? title : `${text} · ${title}`;
  };

  const linked = (/** @type {string} */ place, /** @type {string} */ id) => {
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
    // Going back within a page, e.g. to other filters, keeps the focus.
    const isNew = isFirst || path !== route.path;
    path = route.path;
    setTitle(found?.section.title ?? found?.section.name ?? (found ? title : 'Page not found'));
    frame.select(found?.section);
    const root = element('div', { class: 'page' });
    const waiting = loading();
    main.replaceChildren(heading, root, waiting);
    if (isNew) {
      scrollTo(0, 0);
      // A new page starts at its heading, also for screen readers. The first one keeps the focus of the browser.
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
      root.replaceChildren(failed(/** @type {Error} */ (error), isKnown ? () => void show() : undefined));
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
    // The hash is the address of the page, so the link must not change it.
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

/**
 * @param {Section} one
 * @param {Section | undefined} section
 */
const isParentOf = (one, section) =>
  section?.parent === undefined
    ? one.path !== '' && section?.path.startsWith(`${one.path}/`) === true
    : one.path === section.parent;

/**
 * The header with the navigation. In narrow windows, a button opens it.
 * @param {object} options
 * @param {string} options.title
 * @param {readonly Section[]} options.sections
 * @param {Session} options.session
 * @param {string} options.note
 * @param {readonly { name: string, href: string }[]} options.links
 * @param {() => void} options.show
 */
function navigation({ title, sections, session, note, links, show }) {
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
  const open = (/** @type {boolean} */ isOpen) => menu.setAttribute('aria-expanded', String(isOpen));
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

    /** @param {Section | undefined} section a page of details belongs to the section whose path begins its own */
    select(section) {
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
