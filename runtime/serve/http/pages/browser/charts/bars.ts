import type { Drawing } from './figure.ts';
import { MARGIN, tickText, valueText, seriesClass, svg } from './axis.ts';
import { linearScale } from './scale.ts';

export interface Bar {
  readonly name: string;
  readonly value?: number;
  /** Lower bound of the interval. */
  readonly low?: number;
  readonly high?: number;
  /** The parts of a stacked bar. If set, they replace the value. */
  readonly parts?: readonly { name: string; value: number }[];
}

const ROW = 32;

/** Draws horizontal bars, because names are longer than numbers. */
export function drawBars(
  bars: readonly Bar[],
  partNames: readonly string[],
  unit: string,
  width: number,
): Drawing {
  const nameWidth = Math.min(width * 0.35, 12 + 7.2 * Math.max(...bars.map(({ name }) => name.length), 4));
  const height = bars.length * ROW + MARGIN.bottom;
  const ends = bars.flatMap((bar) => [totalOf(bar), bar.low ?? 0, bar.high ?? 0]);
  const x = linearScale(ends, [nameWidth, width - 64], {
    ticks: Math.max(2, Math.floor(width / 160)),
    fromZero: true,
  });
  const grid = x.ticks.flatMap((tick) => [
    svg('line', {
      class: tick === 0 ? 'axis' : 'grid',
      x1: x.at(tick),
      x2: x.at(tick),
      y1: 0,
      y2: height - MARGIN.bottom + 4,
    }),
    svg(
      'text',
      { class: 'tick', x: x.at(tick), y: height - 8, 'text-anchor': 'middle' },
      tickText(unit, tick),
    ),
  ]);
  const rows = bars.flatMap((bar, at) => [
    svg(
      'text',
      {
        class: 'bar-name',
        x: nameWidth - 10,
        y: at * ROW + ROW / 2,
        'text-anchor': 'end',
        'dominant-baseline': 'middle',
      },
      shortened(bar.name, nameWidth),
    ),
    ...boxes(bar, partNames, (value) => x.at(value), at * ROW + 6),
    ...interval(bar, (value) => x.at(value), at * ROW + ROW / 2),
    svg(
      'text',
      {
        class: 'bar-value',
        x: Math.max(x.at(totalOf(bar)), x.at(bar.high ?? 0)) + 6,
        y: at * ROW + ROW / 2,
        'dominant-baseline': 'middle',
      },
      valueText(unit, totalOf(bar)),
    ),
  ]);
  return {
    node: svg('svg', { class: 'plot', width, height }, ...grid, ...rows),
    stops: bars.map((bar, at) => ({
      x: x.at(totalOf(bar)),
      y: at * ROW + ROW / 2,
      words: () => barText(bar, unit),
    })),
  };
}

export const totalOf = ({ value, parts = [] }: Bar) =>
  value ?? parts.reduce((sum, part) => sum + part.value, 0);

export function barText(bar: Bar, unit: string) {
  const range =
    bar.low === undefined || bar.high === undefined
      ? ''
      : ` (${valueText(unit, bar.low)} to ${valueText(unit, bar.high)})`;
  const parts = bar.parts
    ? `: ${bar.parts.map(({ name, value }) => `${name} ${valueText(unit, value)}`).join(', ')}`
    : '';
  return `${bar.name} ${valueText(unit, totalOf(bar))}${range}${parts}`;
}

function boxes(
  { value, parts }: Bar,
  partNames: readonly string[],
  x: (value: number) => number,
  top: number,
) {
  let start = 0;
  return (parts ?? [{ name: partNames[0] ?? '', value: value ?? 0 }]).map((part) => {
    const [left, right] = [x(start), x(start + part.value)].sort((one, other) => one - other);
    start += part.value;
    const at = Math.max(0, partNames.indexOf(part.name));
    return svg('rect', {
      class: `bar ${seriesClass(at)}`,
      x: left ?? 0,
      y: top,
      width: Math.max(1, (right ?? 0) - (left ?? 0)),
      height: ROW - 12,
    });
  });
}

const interval = ({ low, high }: Bar, x: (value: number) => number, y: number) =>
  low === undefined || high === undefined
    ? []
    : [
        svg('path', {
          class: 'interval',
          d: `M${x(low)} ${y - 5}v10M${x(low)} ${y}H${x(high)}M${x(high)} ${y - 5}v10`,
        }),
      ];

const shortened = (name: string, width: number) => {
  // Added so that rounding does not cut off the last letter of the longest name.
  const fits = Math.floor((width - 12) / 7.2 + 0.01);
  return name.length <= fits ? name : `${name.slice(0, Math.max(1, fits - 1))}…`;
};
