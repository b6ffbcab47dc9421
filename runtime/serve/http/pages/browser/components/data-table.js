/** @import { Filter } from './filters.js' */
import { element } from '../dom.js';
import { count } from '../format.js';
import { changeQuery, readRoute } from '../route.js';
import { ServerError } from '../server.js';
import { filterRow } from './filters.js';
import { empty, failed, loading } from './states.js';

/**
 * @template Row
 * @typedef {object} Column
 * @property {string} key field of the row, and the name to sort by
 * @property {string} title
 * @property {boolean} [numeric] aligned at the end
 * @property {boolean} [sortable] the server can sort by it
 * @property {(row: Row) => Node | string} [cell] default: the field as text
 */

/**
 * @typedef {object} Wanted
 * @property {string} sort a key, with `-` for descending order, or ''
 * @property {Record<string, string>} filters only those that are set
 * @property {string | undefined} cursor of the page; undefined for the first one
 * @property {number} limit rows of a page
 * @property {AbortSignal} signal
 */

/**
 * @template Row
 * @typedef {object} Loaded
 * @property {readonly Row[]} rows
 * @property {string | null | undefined} [next] cursor of the next page
 * @property {number | undefined} [total]
 * @property {string} [status] shown below the table; default: the number of rows
 */

/**
 * A table whose server sorts, filters and pages it. Its state is in the query of the address, so that it survives a reload.
 * @template Row
 * @param {object} options
 * @param {string} options.caption names the table for screen readers, and its rows in the status, e.g. `Keys`
 * @param {readonly Column<Row>[]} options.columns
 * @param {(wanted: Wanted) => Promise<Loaded<Row>>} options.load
 * @param {readonly Filter[]} [options.filters]
 * @param {(row: Row) => string} [options.href] makes the first cell a link
 * @param {string | Node} [options.empty] shown if there are no rows
 * @param {string} [options.sort] order until the user chooses one
 * @param {number} [options.limit]
 * @param {string} [options.name] prefix in the address, if a page has several tables
 * @returns {HTMLElement & { refresh: () => Promise<void> }}
 */
export function dataTable({
  caption,
  columns,
  load,
  filters = [],
  href,
  empty: emptyWords = 'No rows.',
  sort = '',
  limit = 50,
  name = '',
}) {
  const keyOf = (/** @type {string} */ key) => (name === '' ? key : `${name}.${key}`);
  const saved = () => readRoute(location.hash).query;
  const order = () => saved().get(keyOf('sort')) ?? sort;
  const chosen = () =>
    Object.fromEntries(
      filters.map(({ key }) => [key, saved().get(keyOf(key)) ?? '']).filter(([, value]) => value !== ''),
    );

  const status = element('p', { class: 'table-status', role: 'status' });
  const body = element('tbody');
  const shown = element('div', { class: 'table-body' }, loading());
  const paging = element('nav', { class: 'paging', 'aria-label': `Pages of ${caption}`, hidden: true });
  /** Cursors of the pages before this one, as far as they are known. */
  const before = /** @type {(string | undefined)[]} */ ([]);
  let running = new AbortController();

  const heads = columns.map((column) =>
    headCell(column, () => change({ sort: nextOrder(order(), column.key) })),
  );
  const table = element(
    'table',
    { class: 'data' },
    element('caption', { class: 'unseen' }, caption),
    element('thead', {}, element('tr', {}, ...heads)),
    body,
  );
  const region = element(
    'div',
    { class: 'scrollable', role: 'region', 'aria-label': caption, tabindex: 0 },
    table,
  );

  /** @param {Record<string, string>} changes */
  function change(changes) {
    before.length = 0;
    const entries = Object.entries({ ...changes, cursor: '' }).map(([key, value]) => [keyOf(key), value]);
    changeQuery(Object.fromEntries(entries), { replace: !('sort' in changes) });
    void refresh();
  }

  /** @param {string | undefined} cursor */
  async function openPage(cursor) {
    changeQuery({ [keyOf('cursor')]: cursor ?? '' });
    await refresh();
    region.scrollIntoView({ block: 'nearest' });
  }

  async function refresh() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    shown.setAttribute('aria-busy', 'true');
    markOrder();
    try {
      const cursor = saved().get(keyOf('cursor')) ?? undefined;
      const page = await load({ sort: order(), filters: chosen(), cursor, limit, signal });
      if (!signal.aborted) draw(page, cursor);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      status.textContent = '';
      paging.hidden = true;
      shown.replaceChildren(failed(error, () => void refresh()));
    } finally {
      if (!signal.aborted) shown.removeAttribute('aria-busy');
    }
  }

  function markOrder() {
    const current = order();
    for (const [at, { key }] of columns.entries()) {
      const direction = current === key ? 'ascending' : current === `-${key}` ? 'descending' : undefined;
      if (direction) heads[at]?.setAttribute('aria-sort', direction);
      else heads[at]?.removeAttribute('aria-sort');
    }
  }

  /**
   * @param {Loaded<Row>} page
   * @param {string | undefined} cursor
   */
  function draw({ rows, next, total, status: words = statusText(rows.length, total) }, cursor) {
    status.textContent = words;
    if (rows.length === 0) {
      const isFiltered = Object.keys(chosen()).length > 0;
      shown.replaceChildren(
        isFiltered
          ? empty('No rows match the filters.')
          : typeof emptyWords === 'string'
            ? empty(emptyWords)
            : emptyWords,
      );
    } else {
      body.replaceChildren(...rows.map(bodyRow));
      if (region.parentElement !== shown) shown.replaceChildren(region);
    }
    const buttons = [
      pageButton('First page', cursor !== undefined, () => {
        before.length = 0;
        return openPage(undefined);
      }),
      pageButton('Previous', before.length > 0, () => openPage(before.pop())),
      pageButton('Next', next !== undefined && next !== null, () => {
        before.push(cursor);
        return openPage(next ?? undefined);
      }),
    ];
    const focused = [...paging.children].indexOf(document.activeElement ?? paging);
    paging.hidden = cursor === undefined && (next === undefined || next === null);
    paging.replaceChildren(...buttons);
    // The pressed button was replaced; a disabled one cannot have the focus.
    if (focused !== -1)
      (buttons[focused]?.disabled ? buttons.find(({ disabled }) => !disabled) : buttons[focused])?.focus();
  }

  /** @param {Row} row */
  const bodyRow = (row) =>
    element(
      'tr',
      {},
      ...columns.map((column, at) => {
        const content = column.cell
          ? column.cell(row)
          : textOf(/** @type {Record<string, unknown>} */ (row)[column.key]);
        const linked = at === 0 && href ? element('a', { href: href(row) }, content) : content;
        const attributes = column.numeric ? { class: 'numeric' } : {};
        return at === 0
          ? element('th', { scope: 'row', ...attributes }, linked)
          : element('td', attributes, linked);
      }),
    );

  const head =
    filters.length === 0
      ? []
      : [
          filterRow(
            filters,
            chosen(),
            (key, value) => value !== (chosen()[key] ?? '') && change({ [key]: value }),
          ),
        ];
  const node = element(
    'div',
    { class: 'data-table' },
    ...head,
    shown,
    element('div', { class: 'table-foot' }, status, paging),
  );
  void refresh();
  return Object.assign(node, { refresh });
}

/**
 * @template Row
 * @param {Column<Row>} column
 * @param {() => void} onSort
 */
function headCell({ title, numeric = false, sortable = false }, onSort) {
  const attributes = { scope: 'col', ...(numeric ? { class: 'numeric' } : {}) };
  if (!sortable) return element('th', attributes, title);
  const button = element('button', { type: 'button' }, title);
  button.addEventListener('click', onSort);
  return element('th', attributes, button);
}

/**
 * Numbers and dates are usually wanted with the largest first, and one more press reverses them.
 * @param {string} current
 * @param {string} key
 */
const nextOrder = (current, key) => (current === `-${key}` ? key : `-${key}`);

/**
 * @param {string} name
 * @param {boolean} isPossible
 * @param {() => unknown} open
 */
function pageButton(name, isPossible, open) {
  const button = element('button', { type: 'button', class: 'quiet', disabled: !isPossible }, name);
  button.addEventListener('click', () => void open());
  return button;
}

/**
 * @param {number} shown
 * @param {number | undefined} total
 */
function statusText(shown, total) {
  const all = total ?? shown;
  return `${total === undefined ? '' : `${count(shown)} of `}${count(all)} ${all === 1 ? 'row' : 'rows'}`;
}

/** @param {unknown} value */
const textOf = (value) =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);
