import type { Drawing, Stop } from './figure.ts';
import { minuteText } from '../format.ts';
import {
  axisText,
  horizontalAxis,
  MARGIN,
  marginLeft,
  valueText,
  verticalAxis,
  marker,
  seriesClass,
  svg,
  type TimeAxis,
  zoneOf,
} from './axis.ts';
import { type Scale, linearScale, timeScale } from './scale.ts';

/** A point of a line. The line is interrupted where `y` is null. */
export type Point = readonly [x: number, y: number | null];

export interface Series {
  readonly name: string;
  readonly points: readonly Point[];
}

export const HEIGHT = 220;

export interface PlotOptions {
  readonly series: readonly Series[];
  readonly unit: string;
  readonly time: TimeAxis;
  readonly xUnit?: string;
  /** A dashed line for comparison. */
  readonly reference?: readonly Point[];
  readonly band?: Band | undefined;
}

/** An interval around a series, which is drawn as an area in its color. */
export interface Band {
  /** Index of the series. */
  readonly series: number;
  readonly points: readonly (readonly [x: number, low: number, high: number])[];
}

/** Draws lines over a horizontal axis of timestamps or numbers. */
export function drawLines(
  { series, unit, time, xUnit = '', reference = [], band }: PlotOptions,
  width: number,
): Drawing {
  const xs = [...series.flatMap(({ points }) => points), ...reference].map(([x]) => x);
  const ys = [
    ...[...series.flatMap(({ points }) => points), ...reference].map(([, y]) => y ?? Number.NaN),
    ...(band?.points ?? []).flatMap(([, low, high]) => [low, high]),
  ];
  const y = linearScale(ys, [HEIGHT - MARGIN.bottom, MARGIN.top], { ticks: 4, fromZero: true });
  const { x, axis } = horizontal(xs, [marginLeft(y, unit), width], time, xUnit);
  const lines = series.flatMap(({ points }, at) => [
    svg('path', { class: `line ${seriesClass(at)}`, d: pathOf(thinned(points, width), x, y) }),
    ...(points.length <= 30
      ? points.flatMap(([px, py]) => (py === null ? [] : [marker(at, x.at(px), y.at(py))]))
      : []),
  ]);
  const compared =
    reference.length === 0 ? [] : [svg('path', { class: 'reference', d: pathOf(reference, x, y) })];
  return {
    node: svg(
      'svg',
      { class: 'plot', width, height: HEIGHT },
      ...verticalAxis(y, width, unit),
      ...axis,
      ...(band ? [areaOf(band, x, y)] : []),
      ...compared,
      ...lines,
    ),
    stops: stopsOf(series, x, unit, time, xUnit),
  };
}

function areaOf({ series, points }: Band, x: Scale, y: Scale) {
  const upper = points.map(([at, , high]) => [at, high] as const);
  const lower = points.map(([at, low]) => [at, low] as const).toReversed();
  const d = `${pathOf([...upper, ...lower], x, y)}z`;
  return svg('path', { class: `band ${seriesClass(series)}`, d });
}

/** Creates the scale of the horizontal axis and draws the axis. */
export function horizontal(
  xs: readonly number[],
  [left, width]: readonly [left: number, width: number],
  time: TimeAxis,
  unit: string,
) {
  const range: readonly [number, number] = [left, width - MARGIN.right];
  const ticks = Math.max(2, Math.floor((width - left) / 80));
  const x =
    time !== false
      ? timeScale(xs, range, ticks, zoneOf(time))
      : linearScale(xs, range, { ticks, isExact: true });
  return { x, axis: horizontalAxis(x, { width, height: HEIGHT }, axisText(time, unit, x.max - x.min)) };
}

/** The values of all series at each position on the horizontal axis. */
export function stopsOf(
  series: readonly Series[],
  x: Scale,
  unit: string,
  time: TimeAxis,
  xUnit: string,
): Stop[] {
  const places = placesOf(series);
  const values = series.map(({ points }) => new Map(points));
  return places.map((at) => ({
    x: x.at(at),
    y: 0,
    words() {
      const known = series.flatMap(({ name }, place) => {
        const value = values[place]?.get(at);
        return value === undefined || value === null ? [] : [`${name} ${valueText(unit, value)}`];
      });
      return `${placeText(at, time, xUnit)}: ${known.join(', ')}`;
    },
  }));
}

/** The positions on the horizontal axis that have a point, in order. */
export const placesOf = (series: readonly Series[]) =>
  [...new Set(series.flatMap(({ points }) => points.map(([x]) => x)))].sort((one, other) => one - other);

export const placeText = (at: number, time: TimeAxis, unit: string) =>
  time === false ? valueText(unit, at) : minuteText(at, zoneOf(time));

function pathOf(points: readonly Point[], x: Scale, y: Scale) {
  let isDrawing = false;
  return points
    .map(([px, py]) => {
      if (py === null) {
        isDrawing = false;
        return '';
      }
      const command = isDrawing ? 'L' : 'M';
      isDrawing = true;
      return `${command}${x.at(px).toFixed(1)} ${y.at(py).toFixed(1)}`;
    })
    .join('');
}

/**
 * Reduces many points to the smallest and the largest value per pixel, which does not change how
 * the line looks.
 */
function thinned(points: readonly Point[], width: number): readonly Point[] {
  if (points.length <= width * 2) return points;
  const size = Math.ceil(points.length / width);
  return Array.from({ length: Math.ceil(points.length / size) }, (_, at) =>
    points.slice(at * size, (at + 1) * size),
  ).flatMap((part) => {
    const known = part
      .filter(([, y]) => y !== null)
      .sort(([, one], [, other]) => Number(one) - Number(other));
    const ends = [known[0], known.at(-1)].filter((point) => point !== undefined);
    return ends.sort(([one], [other]) => one - other);
  });
}
