import { greatest, least } from '#core/numbers/extremes.ts';
import { AMOUNT_TITLES, frontierOf } from './matrix-markdown.ts';
import { amountOf, type Matrix, type MatrixCell } from './matrix.ts';

const [WIDTH, HEIGHT] = [720, 440];
const MARGIN = { top: 40, right: 24, bottom: 56, left: 64 };
const TICKS = 5;
const MAX_NAME_LENGTH = 40;

interface Dot extends Pick<MatrixCell, 'interval' | 'isOnFrontier'> {
  readonly name: string;
  readonly x: number;
  readonly y: number;
}

/** The trade-off between quality and amount as an SVG image: a point with its interval per cell, and the frontier. */
export function matrixSvg(matrix: Matrix): string {
  const { name, metric, by } = matrix;
  const dots = matrix.cells.flatMap((cell) => dotOf(cell, matrix));
  const xs = scale(
    dots.map(({ x }) => x),
    MARGIN.left,
    WIDTH - MARGIN.right,
  );
  const ys = scale(
    dots.flatMap(({ y, interval }) => [y, interval?.low ?? y, interval?.high ?? y]),
    HEIGHT - MARGIN.bottom,
    MARGIN.top,
  );
  const title = escaped(`${name}: ${metric ?? ''} against ${AMOUNT_TITLES[by]}`);
  const line = frontierOf(matrix)
    .flatMap((cell) => dotOf(cell, matrix))
    .map(({ x, y }) => `${xs.at(x)},${ys.at(y)}`)
    .join(' ');
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" font-family="system-ui, sans-serif" font-size="12">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${MARGIN.left}" y="24" font-size="15" fill="#222">${title}</text>`,
    ...xs.ticks.map(
      (tick) =>
        `<text x="${xs.at(tick)}" y="${HEIGHT - MARGIN.bottom + 20}" text-anchor="middle" fill="#555">${short(tick)}</text>`,
    ),
    ...ys.ticks.map(
      (tick) =>
        `<path d="M${MARGIN.left} ${ys.at(tick)}H${WIDTH - MARGIN.right}" stroke="#ddd"/><text x="${MARGIN.left - 8}" y="${ys.at(tick) + 4}" text-anchor="end" fill="#555">${short(tick)}</text>`,
    ),
    `<text x="${WIDTH / 2}" y="${HEIGHT - 12}" text-anchor="middle" fill="#222">${AMOUNT_TITLES[by]}</text>`,
    `<polyline points="${line}" fill="none" stroke="#0b6bcb" stroke-width="2"/>`,
    ...dots.map((dot) => point(dot, xs, ys)),
    '</svg>\n',
  ].join('\n');
}

function dotOf(cell: MatrixCell, { by, prompts }: Matrix): readonly Dot[] {
  const x = amountOf(cell, by);
  if (x === null || cell.value === null) return [];
  const name = prompts.length > 1 ? `${cell.model} (${cell.prompt})` : cell.model;
  return [{ name, x, y: cell.value, interval: cell.interval, isOnFrontier: cell.isOnFrontier }];
}

type Scale = ReturnType<typeof scale>;

function scale(values: readonly number[], from: number, to: number) {
  const known = values.length === 0 ? [0] : values;
  const [low, high] = [least(known), greatest(known)];
  const size = high - low || Math.abs(high) || 1;
  const [start, end] = [low - size * 0.05, high + size * 0.05];
  return {
    at: (value: number): number =>
      Math.round((from + ((value - start) / (end - start)) * (to - from)) * 10) / 10,
    ticks: Array.from({ length: TICKS }, (_, at) => low + (size * at) / (TICKS - 1)),
  };
}

function point({ name, x, y, interval, isOnFrontier }: Dot, xs: Scale, ys: Scale): string {
  const color = isOnFrontier === true ? '#0b6bcb' : '#777';
  const [left, top] = [xs.at(x), ys.at(y)];
  const anchor = left > WIDTH * 0.7 ? 'end' : 'start';
  const whisker = interval
    ? `<path d="M${left} ${ys.at(interval.low)}V${ys.at(interval.high)}" stroke="${color}"/>`
    : '';
  const label = name.length > MAX_NAME_LENGTH ? `${name.slice(0, MAX_NAME_LENGTH - 1)}…` : name;
  return `${whisker}<circle cx="${left}" cy="${top}" r="4" fill="${color}"><title>${escaped(name)}</title></circle><text x="${left + (anchor === 'end' ? -8 : 8)}" y="${top - 6}" text-anchor="${anchor}" fill="#222">${escaped(label)}</text>`;
}

const short = (value: number): string => String(Number(value.toPrecision(3)));

/** Also removes characters that XML cannot contain. */
const escaped = (text: string): string =>
  text
    .replaceAll(/[^\P{Cc}\t]|\p{Cs}|[\uFFFE\uFFFF]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
