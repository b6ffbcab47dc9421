import type { Manifest } from '#contract/manifest.ts';
import { formatTable } from '#serve/cli/table.ts';
import type { Terminal } from '#serve/cli/terminal.ts';
import { flagsText, type FlagsResult } from './flags-result.ts';
import type { BenchCell } from './cells.ts';
import type { FlagsComparison } from './compare-flags.ts';
import { deviceText } from '../engine/device-text.ts';
import type { DeviceState } from '../engine/serving.ts';
import type { Measured } from './load.ts';

export interface BenchResult {
  readonly model: Pick<Manifest, 'name' | 'version' | 'modelType'>;
  readonly host: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryBytes: number;
    /** Undefined if no GPU was requested. */
    readonly device: DeviceState | undefined;
  };
  readonly cells: readonly BenchCell[];
  readonly comparison: FlagsComparison;
}

/** The JSON output of `bench --json`. */
export function benchJson({ model, host, cells, comparison }: BenchResult): object {
  const { concurrency, maxTokens, results, fastest, soonest } = comparison;
  const flagsJson = ({ flags, many, single, gain }: FlagsResult): object => ({
    flags: flagsText(flags),
    workers: flags.workers ?? null,
    threads: flags.threads ?? null,
    max_batch_tokens: flags.maxBatchTokens ?? null,
    concurrent: { ...measuredJson(many), gain: rounded(gain.many) },
    single: { ...measuredJson(single), gain: rounded(gain.single) },
  });
  return {
    model: { name: model.name, version: model.version, type: model.modelType },
    host: {
      processor: host.processor,
      cores: host.cores,
      memory_bytes: host.memoryBytes,
      ...(host.device ? { device: host.device.device, device_details: deviceText(host.device) } : {}),
    },
    lengths: cells.map((cell) => ({
      tokens: cell.tokens,
      concurrency: cell.concurrency,
      ...(cell.measured ? measuredJson(cell.measured) : {}),
      skipped: cell.measured === undefined,
    })),
    flags: { concurrency, max_tokens: maxTokens, results: results.map(flagsJson) },
    best: flagsText(fastest.flags),
    best_single: flagsText((soonest ?? fastest).flags),
  };
}

const measuredJson = ({ requests, textsPerSecond, p50, p99 }: Measured): object => ({
  requests,
  texts_per_second: rounded(textsPerSecond),
  p50_ms: rounded(p50),
  p99_ms: rounded(p99),
});

/** The plain-text output of `bench`: both tables and the best flags. */
export function benchText({ model, host, cells, comparison }: BenchResult, terminal: Terminal): string {
  const { concurrency, maxTokens, results, fastest, soonest } = comparison;
  const skipped = cells.some(({ measured }) => !measured);
  return `${[
    `${model.name} ${model.version} (${model.modelType}) on ${host.cores} x ${host.processor}`,
    ...(host.device ? [`Device: ${deviceText(host.device)}`] : []),
    '',
    ...formatTable(
      ['tokens', 'concurrent', 'texts/s', 'p50 ms', 'p99 ms'],
      cells.map(({ tokens, concurrency: many, measured }) => [
        String(tokens),
        String(many),
        ...(measured
          ? [shown(measured.textsPerSecond), shown(measured.p50), shown(measured.p99)]
          : ['-', '-', '-']),
      ]),
      terminal,
    ),
    ...(skipped ? ['-  not measured in the given time; increase --seconds'] : []),
    '',
    `Texts of up to ${maxTokens} tokens with different serve flags; measurements alternate between each row and the first row:`,
    ...formatTable(
      ['flags', `texts/s, ${concurrency} concurrent`, 'gain', 'p50 ms, 1 concurrent', 'gain'],
      results.map(({ flags, many, single, gain }) => [
        flagsText(flags) || 'defaults',
        shown(many.textsPerSecond),
        gain.many.toFixed(2),
        shown(single.p50),
        gain.single.toFixed(2),
      ]),
      terminal,
    ),
    '',
    `Highest throughput: serve${spaced(flagsText(fastest.flags))}`,
    ...(soonest ? [`Lowest latency:     serve${spaced(flagsText(soonest.flags))}`] : []),
  ].join('\n')}\n`;
}

const spaced = (flags: string): string => (flags === '' ? '' : ` ${flags}`);
const shown = (value: number): string =>
  value < 1 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
const rounded = (value: number): number => Number(value.toFixed(3));
