import { type ComparedModel, numberOf } from './assertions.ts';

/** Numbers that are compared in addition to the metrics. */
const OTHERS = ['cost_per_row', 'p95_latency_ms'];

/** Changes relative to a baseline as Markdown, for models with the same names. */
export function baselineTable(models: readonly ComparedModel[], baseline: readonly ComparedModel[]): string {
  const rows = models.flatMap((model) => {
    const earlier = baseline.find(({ name }) => name === model.name);
    return [...Object.keys(model.metrics), ...OTHERS].flatMap((metric) => {
      const [then, now] = [earlier && numberOf(earlier, metric), numberOf(model, metric)];
      if (then === undefined || now === undefined) return [];
      return [
        [plain(model.name), metric, shown(then), shown(now), `${now > then ? '+' : ''}${shown(now - then)}`],
      ];
    });
  });
  const head = ['model', 'metric', 'baseline', 'now', 'difference'];
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return ['## Since the baseline', '', line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

const shown = (value: number): string => String(Number(value.toPrecision(4)));
const plain = (text: string): string => text.replaceAll(/\s+/g, ' ').replaceAll(/[\\|]/g, String.raw`\$&`);
