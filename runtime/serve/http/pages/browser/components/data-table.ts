import { element } from '../dom.ts';
import { count } from '../format.ts';
import { changeQuery, readRoute } from '../route.ts';
import { ServerError } from '../server.ts';
import { empty, failed, loading } from './states.ts';

export interface Column<Row> {
  /** Field of the row. It is also the sort key for the server. */
  readonly key: string;
  readonly title: string;
  /** Whether cells are right-aligned. */
  readonly numeric?: boolean;
  /** Whether the server can sort by this column. */
  readonly sortable?: boolean;
  /** Returns the content of a cell. Default: the field as text. */
  readonly cell?: (row: Row) => Node | string;
}

export interface Wanted {
  /** A sort key, with `-` for descending order, or ''. */
  readonly sort: string;
  /** Only filters that are set. */
  readonly filters: Record<string, string>;
  /** Cursor of the page; undefined for the first one. */
  readonly cursor: string | undefined;
  /** Number of rows per page. */
  readonly limit: number;
  readonly signal: AbortSignal;
}

interface Loaded<Row> {
  readonly rows: readonly Row[];
  /** Cursor of the next page. */
  readonly next?: string | null | undefined;
  readonly total?: number | undefined;
  /** Text below the table. Default: the number of rows. */
  readonly status?: string;
}

interface DataTableOptions<Row> {
  /**
   * Name of the table for screen readers, which is also used for its rows in the status text, e.g.
   * `Keys`.
   */
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly load: (wanted: Wanted) => Promise<Loaded<Row>>;
  readonly filters?: readonly Filter[];
  /** Returns the link for the first cell of a row. */
  readonly href?: (row: Row) => string;
  /** Content to show if there are no rows. */
  readonly empty?: string | Node;
  /** Initial sort order, until the user chooses one. */
  readonly sort?: string;
  readonly limit?: number;
  /** Prefix for the table's query parameters, for pages with several tables. */
  readonly name?: string;
}

/**
 * A table whose rows are sorted, filtered and paginated by the server. Its state is stored in the
 * query of the page's address, so that it survives a reload.
 */
export function dataTable<Row>({
  caption,
  columns,
  load,
  filters = [],
  href,
  empty: emptyWords = 'No rows.',
  sort = '',
  limit = 50,
  name = '',
}: DataTableOptions<Row>): HTMLElement & { refresh: () => Promise<void> } {
  const keyOf = (key: string) => (name === '' ? key : `${name}.${key}`);
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
  /** The cursors of the preceding pages that are known. */
  const before = [] as (string | undefined)[];
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

  function change(changes: Record<string, string>) {
    before.length = 0;
    const entries = Object.entries({ ...changes, cursor: '' }).map(([key, value]) => [keyOf(key), value]);
    changeQuery(Object.fromEntries(entries), { replace: !('sort' in changes) });
    void refresh();
  }

  async function openPage(cursor: string | undefined) {
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

  function draw(
    { rows, next, total, status: words = statusText(rows.length, total) }: Loaded<Row>,
    cursor: string | undefined,
  ) {
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
    // Focus must be moved, because the pressed button was replaced, and a disabled button cannot
    // have the focus.
    if (focused !== -1)
      (buttons[focused]?.disabled ? buttons.find(({ disabled }) => !disabled) : buttons[focused])?.focus();
  }

  const bodyRow = (row: Row) =>
    element(
      'tr',
      {},
      ...columns.map((column, at) => {
        const content = column.cell ? column.cell(row) : textOf((row as Record<string, unknown>)[column.key]);
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

function headCell<Row>({ title, numeric = false, sortable = false }: Column<Row>, onSort: () => void) {
  const attributes = { scope: 'col', ...(numeric ? { class: 'numeric' } : {}) };
  if (!sortable) return element('th', attributes, title);
  const button = element('button', { type: 'button' }, title);
  button.addEventListener('click', onSort);
  return element('th', attributes, button);
}

/**
 * Users usually want to see the largest numbers and the latest dates first. Pressing again reverses
 * the order.
 */
const nextOrder = (current: string, key: string) => (current === `-${key}` ? key : `-${key}`);

function pageButton(name: string, isPossible: boolean, open: () => unknown) {
  const button = element('button', { type: 'button', class: 'quiet', disabled: !isPossible }, name);
  button.addEventListener('click', () => void open());
  return button;
}

function statusText(shown: number, total: number | undefined) {
  const all = total ?? shown;
  return `${total === undefined ? '' : `${count(shown)} of `}${count(all)} ${all === 1 ? 'row' : 'rows'}`;
}

const textOf = (value: unknown) =>
  value === undefined || value === null ? '–' : typeof value === 'string' ? value : JSON.stringify(value);

export interface Filter {
  readonly key: string;
  readonly title: string;
  readonly kind: 'text' | 'choice' | 'date';
  /** The options of a select field. */
  readonly choices?: readonly (string | { value: string; name: string })[];
}

/**
 * Minimum time between two changes of a text filter. The first change is applied immediately. Each
 * change modifies the page's address, and browsers allow about 200 modifications in 10 seconds.
 */
const TYPING_MS = 100;

let rows = 0;

/** The fields above a table that filter its rows. */
function filterRow(
  filters: readonly Filter[],
  values: Record<string, string>,
  onChange: (key: string, value: string) => void,
) {
  const row = ++rows;
  const fields = filters.map((filter) => {
    const id = `filter-${row}-${filter.key}`;
    const field = fieldOf(filter, id);
    field.value = values[filter.key] ?? '';
    let typing: ReturnType<typeof setTimeout> | undefined;
    let appliedAt = -Infinity;
    const apply = () => {
      clearTimeout(typing);
      appliedAt = performance.now();
      onChange(filter.key, field.value.trim());
    };
    field.addEventListener('change', apply);
    if (filter.kind === 'text') {
      field.addEventListener('input', () => {
        clearTimeout(typing);
        const wait = appliedAt + TYPING_MS - performance.now();
        if (wait <= 0) apply();
        else typing = setTimeout(apply, wait);
      });
    }
    return element(
      'p',
      { class: `filter ${filter.kind}` },
      element('label', { for: id }, filter.title),
      field,
    );
  });
  return element('search', { class: 'filters' }, ...fields);
}

function fieldOf({ kind, choices = [] }: Filter, id: string) {
  if (kind === 'date') return element('input', { id, type: 'date' });
  if (kind === 'text')
    return element('input', { id, type: 'search', autocomplete: 'off', spellcheck: 'false' });
  const options = choices.map((choice) =>
    typeof choice === 'string' ? { value: choice, name: choice } : choice,
  );
  return element(
    'select',
    { id },
    element('option', { value: '' }, 'Any'),
    ...options.map(({ value, name }) => element('option', { value }, name)),
  );
}
