import type { Section } from '#serve/http/pages/browser/start-app.ts';
import {
  barChart,
  columnChart,
  heatMap,
  histogram,
  lineChart,
  scatterChart,
} from '#serve/http/pages/browser/components/chart.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { percent } from '#serve/http/pages/browser/format.ts';
import { HOSTILE, LONG } from './texts.ts';

const NOON = Date.UTC(2026, 0, 31, 12);
const MODELS = ['gpt-4o-mini', 'claude-haiku', 'llama-3.1-8b', 'mistral-small', 'qwen-2.5', 'gemma-3'];

/** Numbers that look like measurements, identical every time. */
const noise = (seed: number, length: number) =>
  Array.from({ length }, (_, at) => Math.abs(Math.sin(seed * 37 + at * 12.9898) * 43758.5453) % 1);

const hours = (seed: number, length: number, size: number): [number, number][] =>
  noise(seed, length).map((value, at) => [NOON - (length - at) * 3_600_000, size * (0.4 + value * 0.6)]);

export const chartSections: Section[] = [
  {
    path: 'charts',
    name: 'Charts',
    group: 'Components',
    show({ root }) {
      root.append(
        element(
          'div',
          { class: 'columns' },
          lineChart({
            title: 'Latency, 95%',
            unit: 'ms',
            time: true,
            series: MODELS.slice(0, 3).map((name, at) => ({ name, points: hours(at, 24, 400 * (at + 1)) })),
          }),
          columnChart({
            title: 'Spend per hour',
            unit: 'USD',
            time: true,
            series: MODELS.map((name, at) => ({ name, points: hours(at + 9, 24, 2) })),
          }),
          barChart({
            title: 'Accuracy',
            unit: 'share',
            bars: MODELS.map((name, at) => ({
              name,
              value: 0.9 - at * 0.04,
              low: 0.87 - at * 0.04,
              high: 0.92 - at * 0.04,
            })),
          }),
          barChart({
            title: 'Spend by team',
            unit: 'USD',
            stacked: true,
            bars: ['search', 'support', LONG].map((name, at) => ({
              name,
              parts: MODELS.slice(0, 4).map((model, place) => ({
                name: model,
                value: (at + 1) * (4 - place) * 3.1,
              })),
            })),
          }),
          scatterChart({
            title: 'Cost against quality',
            x: { title: 'Cost of 1,000 requests', unit: 'USD' },
            y: { title: 'Accuracy', unit: 'share' },
            points: MODELS.map((name, at) => ({
              name,
              x: (at + 1) ** 2 / 10,
              y: 0.6 + at * 0.05,
              series: at % 2 ? 'hosted' : 'local',
            })),
          }),
          histogram({
            title: 'Scores',
            series: [
              { name: 'correct', values: noise(3, 400).map(Math.sqrt) },
              { name: 'wrong', values: noise(5, 80).map((value) => value * value) },
            ],
          }),
          heatMap({
            title: 'Confusion',
            corner: 'Actual',
            rows: ['cat', 'dog', 'bird'],
            columns: ['cat', 'dog', 'bird'],
            cells: [
              [90, 8, 2],
              [12, 80, 8],
              [1, 4, 95],
            ],
          }),
          lineChart({
            title: 'Calibration',
            unit: 'share',
            xUnit: 'share',
            xTitle: 'Confidence',
            reference: [
              [0, 0],
              [1, 1],
            ],
            series: [
              {
                name: 'gpt-4o-mini',
                points: noise(4, 10).map((value, at) => [at / 10 + 0.05, Math.min(1, at / 10 + value * 0.1)]),
              },
            ],
          }),
        ),
      );
    },
  },
  {
    path: 'charts/limits',
    name: 'Charts at their limits',
    group: 'Components',
    show({ root }) {
      const many = Array.from({ length: 40 }, (_, at) => `text ${at + 1}`);
      root.append(
        lineChart({
          title: '100,000 points',
          unit: 'tokens/s',
          time: true,
          series: [{ name: 'speed', points: hours(1, 100_000, 80) }],
        }),
        lineChart({ title: 'No data', unit: 'ms', time: true, series: [] }),
        columnChart({
          title: 'One column',
          unit: 'USD',
          time: true,
          series: [{ name: 'all', points: [[NOON, 3]] }],
        }),
        lineChart({
          title: 'Gaps, and values below zero',
          unit: '°C',
          time: true,
          series: [
            { name: HOSTILE, points: hours(2, 24, 10).map(([x, y], at) => [x, at % 7 === 3 ? null : y - 7]) },
          ],
        }),
        barChart({ title: 'No bars', unit: 'USD', bars: [] }),
        histogram({ title: 'One value', series: [{ name: 'all', values: [1, 1, 1] }] }),
        heatMap({
          title: 'Similarity of 40 texts',
          rows: many,
          columns: many,
          cells: many.map((_, row) => many.map((__, column) => 1 - Math.abs(row - column) / 40)),
          text: percent,
        }),
      );
    },
  },
];
