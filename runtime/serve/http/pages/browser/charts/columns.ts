import type { Drawing, Stop } from './figure.ts';
import { MARGIN, marginLeft, valueText, verticalAxis, seriesClass, svg } from './axis.ts';
import { type PlotOptions, HEIGHT, horizontal, stopsOf } from './lines.ts';
import { extent, linearScale } from './scale.ts';

/** Draws columns over time. They are stacked if there are several series. */
export function drawColumns({ series, unit, time, xUnit = '' }: PlotOptions, width: number): Drawing {
  const totals = new Map([] as [number, number][]);
  for (const { points } of series)
    for (const [at, value] of points) totals.set(at, (totals.get(at) ?? 0) + (value ?? 0));
  const places = [...totals.keys()].sort((one, other) => one - other);
  const [gap] = extent(places.slice(1).map((at, before) => at - (places[before] ?? 0)));
  const step = Number.isFinite(gap) ? gap : 1;
  const y = linearScale([...totals.values()], [HEIGHT - MARGIN.bottom, MARGIN.top], {
    ticks: 4,
    fromZero: true,
  });
  // Half a column of space at both ends.
  const { x, axis } = horizontal(
    [(places[0] ?? 0) - step / 2, (places.at(-1) ?? 0) + step / 2],
    [marginLeft(y, unit), width],
    time,
    xUnit,
  );
  const size = Math.max(1, Math.min(48, (x.at(step) - x.at(0)) * 0.8));
  const done = new Map([] as [number, number][]);
  // One path per series, because rendering hundreds of elements would take a browser several times as long.
  const columns = series.map(({ points }, at) => {
    const boxes = points.map(([px, py]) => {
      if (!py) return '';
      const from = done.get(px) ?? 0;
      done.set(px, from + py);
      const height = Math.max(0.5, y.at(from) - y.at(from + py));
      return `M${short(x.at(px) - size / 2)} ${short(y.at(from + py))}h${short(size)}v${short(height)}h${short(-size)}z`;
    });
    return svg('path', { class: `bar ${seriesClass(at)}`, d: boxes.join('') });
  });
  return {
    node: svg(
      'svg',
      { class: 'plot', width, height: HEIGHT },
      ...verticalAxis(y, width, unit),
      ...axis,
      ...columns,
    ),
    stops: stopsOf(series, x, unit, time, xUnit),
  };
}

const short = (value: number) => Math.round(value * 10) / 10;

interface Bin {
  readonly from: number;
  readonly to: number;
  readonly count: number;
}

/**
 * Draws the columns of a histogram, without gaps. If there are several series, only the first is
 * filled, and the others are outlines.
 */
export function drawHistogram(
  series: readonly { name: string; bins: readonly Bin[] }[],
  unit: string,
  width: number,
): Drawing {
  const bins = series.flatMap((one) => one.bins);
  const y = linearScale(
    bins.map(({ count }) => count),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
    { ticks: 4, fromZero: true },
  );
  const { x, axis } = horizontal(
    bins.flatMap(({ from, to }) => [from, to]),
    [marginLeft(y, ''), width],
    false,
    unit,
  );
  const drawn = series.flatMap((one, at) =>
    at === 0
      ? one.bins.map(({ from, to, count }) =>
          svg('rect', {
            class: `bar ${seriesClass(0)}`,
            x: x.at(from) + 0.5,
            y: y.at(count),
            width: Math.max(1, x.at(to) - x.at(from) - 1),
            height: y.at(0) - y.at(count),
          }),
        )
      : [
          svg('path', {
            class: `line ${seriesClass(at)}`,
            d: `M${x.at(one.bins[0]?.from ?? 0)} ${y.at(0)}${one.bins.map(({ from, to, count }) => `L${x.at(from)} ${y.at(count)}L${x.at(to)} ${y.at(count)}`).join('')}`,
          }),
        ],
  );
  const stops: Stop[] = (series[0]?.bins ?? []).map(({ from, to }, at) => ({
    x: (x.at(from) + x.at(to)) / 2,
    y: 0,
    words: () =>
      `${valueText(unit, from)} to ${valueText(unit, to)}: ${series.map((one) => `${one.name} ${one.bins[at]?.count ?? 0}`).join(', ')}`,
  }));
  return {
    node: svg(
      'svg',
      { class: 'plot', width, height: HEIGHT },
      ...verticalAxis(y, width, ''),
      ...axis,
      ...drawn,
    ),
    stops,
  };
}
