import type { Drawing } from './figure.ts';
import {
  axisText,
  horizontalAxis,
  MARGIN,
  marginLeft,
  valueText,
  verticalAxis,
  marker,
  svg,
} from './axis.ts';
import { linearScale } from './scale.ts';

export interface Axis {
  readonly title: string;
  readonly unit?: string;
}

export interface Dot {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly series?: string;
}

const HEIGHT = 300;
/** With more points than this, their names would overlap. */
const MAX_NAMES = 24;

export function drawScatter(
  {
    x: across,
    y: up,
    points,
    series,
  }: { x: Axis; y: Axis; points: readonly Dot[]; series: readonly string[] },
  width: number,
): Drawing {
  const ticks = Math.max(2, Math.floor(width / 120));
  const y = linearScale(
    points.map((point) => point.y),
    [HEIGHT - MARGIN.bottom, MARGIN.top],
    { ticks: 5 },
  );
  const x = linearScale(
    points.map((point) => point.x),
    [marginLeft(y, up.unit ?? ''), width - MARGIN.right - 8],
    { ticks },
  );
  const dots = points.map((point) =>
    marker(Math.max(0, series.indexOf(point.series ?? '')), x.at(point.x), y.at(point.y)),
  );
  const names =
    points.length > MAX_NAMES
      ? []
      : points.map(({ name, x: px, y: py }) => {
          const isRight = x.at(px) > width * 0.7;
          return svg(
            'text',
            {
              class: 'dot-name',
              x: x.at(px) + (isRight ? -9 : 9),
              y: y.at(py),
              'text-anchor': isRight ? 'end' : 'start',
              'dominant-baseline': 'middle',
            },
            name.length > 28 ? `${name.slice(0, 27)}…` : name,
          );
        });
  return {
    node: svg(
      'svg',
      { class: 'plot', width, height: HEIGHT },
      ...verticalAxis(y, width, up.unit ?? ''),
      ...horizontalAxis(x, { width, height: HEIGHT }, axisText(false, across.unit ?? '', 0)),
      ...dots,
      ...names,
    ),
    stops: points.map((point) => ({
      x: x.at(point.x),
      y: y.at(point.y),
      words: () =>
        `${point.name}: ${across.title} ${valueText(across.unit ?? '', point.x)}, ${up.title} ${valueText(up.unit ?? '', point.y)}`,
    })),
  };
}
