import type { Manifest } from '#contract/manifest.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { formatTable } from '#serve/cli/table.ts';
import type { Terminal } from '#serve/cli/terminal.ts';
import { flagsText, type FlagsResult } from './flags-result.ts';
import type { BenchCell } from './cells.ts';
import { sizeText } from './drawn-images.ts';
import type { BenchInputs } from './inputs.ts';
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

type Kind = BenchInputs['kind'];

/** What is measured: texts, images, or both of them. */
function unitOf(inputs: readonly BenchInputs[]): Kind | 'inputs' {
  const [first, ...others] = new Set(inputs.map(({ kind }) => kind));
  return first && others.length === 0 ? first : 'inputs';
}

const cellsOf = (cells: readonly BenchCell[], kind: Kind): BenchCell[] =>
  cells.filter(({ inputs }) => inputs.kind === kind);

/** The JSON output of `bench --json`. */
export function benchJson({ model, host, cells, comparison }: BenchResult): object {
  const { concurrency, inputs, results, fastest, soonest } = comparison;
  const unit = unitOf(inputs);
  const flagsJson = ({ flags, many, single, gain }: FlagsResult): object => ({
    flags: flagsText(flags),
    workers: flags.workers ?? null,
    threads: flags.threads ?? null,
    max_batch_tokens: flags.maxBatchTokens ?? null,
    concurrent: { ...measuredJson(many, unit), gain: rounded(gain.many) },
    single: { ...measuredJson(single, unit), gain: rounded(gain.single) },
  });
  const sizes = inputs.map(({ size }) => size);
  const tokens = sizes.flatMap((size) => ('tokens' in size ? [size.tokens] : []));
  return {
    model: { name: model.name, version: model.version, type: model.modelType },
    host: {
      processor: host.processor,
      cores: host.cores,
      memory_bytes: host.memoryBytes,
      ...(host.device ? { device: host.device.device, device_details: deviceText(host.device) } : {}),
    },
    lengths: cellsOf(cells, 'texts').map(cellJson),
    images: cellsOf(cells, 'images').map(cellJson),
    flags: {
      concurrency,
      max_tokens: tokens.length === 0 ? null : greatest(tokens),
      results: results.map(flagsJson),
    },
    best: flagsText(fastest.flags),
    best_single: flagsText((soonest ?? fastest).flags),
  };
}

const cellJson = ({ inputs: { kind, size }, concurrency, measured }: BenchCell): object => ({
  ...size,
  concurrency,
  ...(measured ? measuredJson(measured, kind) : {}),
  skipped: measured === undefined,
});

const measuredJson = ({ requests, inputsPerSecond, p50, p99 }: Measured, unit: Kind | 'inputs'): object => ({
  requests,
  [`${unit}_per_second`]: rounded(inputsPerSecond),
  p50_ms: rounded(p50),
  p99_ms: rounded(p99),
});

/** The plain-text output of `bench`: a table for each kind of inputs, the table of flags, and the best flags. */
export function benchText({ model, host, cells, comparison }: BenchResult, terminal: Terminal): string {
  const { concurrency, inputs, results, fastest, soonest } = comparison;
  const skipped = cells.some(({ measured }) => !measured);
  return `${[
    `${model.name} ${model.version} (${model.modelType}) on ${host.cores} x ${host.processor}`,
    ...(host.device ? [`Device: ${deviceText(host.device)}`] : []),
    ...(['texts', 'images'] as const).flatMap((kind) => cellTable(cellsOf(cells, kind), kind, terminal)),
    ...(skipped ? ['-  not measured in the given time; increase --seconds'] : []),
    '',
    `${described(inputs)} with different serve flags; measurements alternate between each row and the first row:`,
    ...formatTable(
      ['flags', `${unitOf(inputs)}/s, ${concurrency} concurrent`, 'gain', 'p50 ms, 1 concurrent', 'gain'],
      results.map(({ flags, many, single, gain }) => [
        flagsText(flags) || 'defaults',
        shown(many.inputsPerSecond),
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

function cellTable(cells: readonly BenchCell[], kind: Kind, terminal: Terminal): string[] {
  const [first] = cells;
  if (!first) return [];
  return [
    '',
    ...formatTable(
      [columnOf(first.inputs), 'concurrent', `${kind}/s`, 'p50 ms', 'p99 ms'],
      cells.map(({ inputs, concurrency, measured }) => [
        sizeOf(inputs),
        String(concurrency),
        ...(measured
          ? [shown(measured.inputsPerSecond), shown(measured.p50), shown(measured.p99)]
          : ['-', '-', '-']),
      ]),
      terminal,
    ),
  ];
}

const columnOf = ({ kind, size }: BenchInputs): string =>
  'count' in size ? kind : 'tokens' in size ? 'tokens' : 'pixels';

function sizeOf({ size }: BenchInputs): string {
  if ('count' in size) return String(size.count);
  return 'tokens' in size ? String(size.tokens) : sizeText(size);
}

/** For example `Texts of up to 77 tokens and images of up to 1280 x 960 pixels`. */
function described(inputs: readonly BenchInputs[]): string {
  const kinds = (['texts', 'images'] as const).flatMap((kind) => {
    const last = inputs.findLast((one) => one.kind === kind);
    if (!last) return [];
    if ('count' in last.size) return [`${last.size.count} ${kind}`];
    return [`${kind} of up to ${sizeOf(last)} ${columnOf(last)}`];
  });
  const text = kinds.join(' and ');
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

const spaced = (flags: string): string => (flags === '' ? '' : ` ${flags}`);
const shown = (value: number): string =>
  value < 1 ? value.toFixed(2) : value < 100 ? value.toFixed(1) : value.toFixed(0);
const rounded = (value: number): number => Number(value.toFixed(3));
