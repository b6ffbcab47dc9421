import { element, scrollable } from '../dom.ts';
import { table } from '../components/facts.ts';
import { seriesClass } from './axis.ts';

/** A position in a chart that the pointer and the arrow keys can select. */
export interface Stop {
  readonly x: number;
  readonly y: number;
  readonly words: () => string;
}

export interface Drawing {
  readonly node: SVGElement;
  readonly stops: readonly Stop[];
}

interface FigureOptions {
  readonly title: string;
  /** A summary of the chart in one or two sentences. */
  readonly summary: string;
  /** Names of the series. */
  readonly legend?: readonly string[];
  /** Column headings of the data table. */
  readonly columns: readonly string[];
  /** Number of rows in the data table. */
  readonly count: number;
  /** Formats a row. Called on demand, because charts can have many rows. */
  readonly row: (at: number) => readonly (Node | string)[];
  readonly draw: (width: number) => Drawing;
  /** Whether the up and down keys move between the positions. */
  readonly isVertical?: boolean;
}

/** Maximum number of rows in the data table; a longer table would make the page slow. */
const MAX_ROWS = 500;

/** A chart with its caption, a text summary and a data table. It is redrawn when its width changes. */
export function chartFigure({
  title,
  summary,
  legend = [],
  columns,
  count,
  row,
  draw,
  isVertical = false,
}: FigureOptions) {
  const area = element('div', {
    class: 'chart-area',
    tabindex: 0,
    role: 'group',
    'aria-label': `${title}. ${summary}`,
  });
  const readout = element('p', { class: 'chart-readout', 'aria-live': 'polite' });
  let drawing: Drawing | undefined;
  let selected = -1;
  let width = 0;

  const redraw = () => {
    drawing = draw(width);
    drawing.node.setAttribute('aria-hidden', 'true');
    area.replaceChildren(drawing.node);
    select(-1);
  };
  const select = (at: number) => {
    selected = at;
    const stop = drawing?.stops[at];
    readout.textContent = stop?.words() ?? '';
    drawing?.node.querySelector('.cursor')?.remove();
    if (!stop || !drawing) return;
    const cursor = document.createElementNS('http://www.w3.org/2000/svg', isVertical ? 'circle' : 'line');
    cursor.setAttribute('class', 'cursor');
    const places = isVertical
      ? { cx: stop.x, cy: stop.y, r: 8 }
      : { x1: stop.x, x2: stop.x, y1: 6, y2: area.clientHeight - 26 };
    for (const [name, value] of Object.entries(places)) cursor.setAttribute(name, String(value));
    drawing.node.append(cursor);
  };

  area.addEventListener('keydown', (event) => {
    const last = (drawing?.stops.length ?? 0) - 1;
    const steps = {
      ArrowLeft: selected - 1,
      ArrowUp: selected - 1,
      ArrowRight: selected + 1,
      ArrowDown: selected + 1,
      Home: 0,
      End: last,
    } as Record<string, number>;
    const next = steps[event.key];
    if (next === undefined || last < 0) return;
    event.preventDefault();
    select(Math.min(last, Math.max(0, next)));
  });
  area.addEventListener('pointermove', ({ clientX, clientY }) => {
    const box = area.getBoundingClientRect();
    select(nearest(drawing?.stops ?? [], clientX - box.left, clientY - box.top, isVertical));
  });
  new ResizeObserver(([entry]) => {
    const found = Math.round(entry?.contentRect.width ?? 0);
    if (found === width || found === 0) return;
    width = found;
    redraw();
  }).observe(area);

  return element(
    'figure',
    { class: 'chart' },
    element(
      'figcaption',
      {},
      element('strong', {}, title),
      element('span', { class: 'chart-summary' }, summary),
    ),
    ...(legend.length > 1 ? [legendOf(legend)] : []),
    ...(count === 0 ? [] : [area, readout, dataDetails(title, columns, count, row)]),
  );
}

const legendOf = (names: readonly string[]) =>
  element(
    'ul',
    { class: 'legend' },
    ...names.map((name, at) =>
      element('li', {}, element('span', { class: `swatch ${seriesClass(at)}` }), name),
    ),
  );

/** A chart's data as a table, which is created when it is opened. */
function dataDetails(
  title: string,
  columns: readonly string[],
  count: number,
  row: (at: number) => readonly (Node | string)[],
) {
  const details = element('details', { class: 'chart-data' }, element('summary', {}, 'Data as a table'));
  details.addEventListener('toggle', () => {
    if (!details.open || details.childElementCount > 1) return;
    const shown = Array.from({ length: Math.min(count, MAX_ROWS) }, (_, at) => row(at));
    details.append(scrollable(`Data of ${title}`, table(title, columns, shown, 'figures')));
    if (count > MAX_ROWS)
      details.append(element('p', { class: 'hint' }, `The first ${MAX_ROWS} of ${count} rows.`));
  });
  return details;
}

function nearest(stops: readonly Stop[], x: number, y: number, isVertical: boolean) {
  let [found, least] = [-1, Infinity];
  for (const [at, stop] of stops.entries()) {
    const distance = isVertical ? (stop.x - x) ** 2 + 4 * (stop.y - y) ** 2 : Math.abs(stop.x - x);
    if (distance < least) [found, least] = [at, distance];
  }
  return found;
}
