import type { ServingEngine } from '../engine/serving.ts';
import {
  batchCandidates,
  type Flags,
  threadCandidates,
  bestOf,
  flagsResult,
  type FlagsResult,
  type Loads,
} from './flags-result.ts';
import type { BenchInputs } from './inputs.ts';
import { putLoad } from './load.ts';
import type { PredictBody } from '../served/served-type.ts';

/** Number of parallel requests; fewer if the model is too slow for so many in the available time. */
const MANY = 64;
const FEW = 8;
/** Longer texts are not compared, because a single one would take a large share of the time. */
const LONGEST = 256;
const PATIENCE = 3;
/**
 * Number of times to switch between the user's flags and a candidate, so that other load on the
 * host affects the measurements of both.
 */
const TURNS = 2;

export interface FlagsComparison {
  readonly concurrency: number;
  /** The compared inputs, by size. */
  readonly inputs: readonly BenchInputs[];
  /** The results for the user's flags come first. */
  readonly results: readonly FlagsResult[];
  /** The flags with the highest number of inputs per second. */
  readonly fastest: FlagsResult;
  /** The flags with the lowest latency for single requests; undefined if `fastest` already has them. */
  readonly soonest: FlagsResult | undefined;
}

export interface Host {
  readonly cores: number;
  /** Maximum number of ONNX Runtime sessions that fit into memory. */
  readonly maxWorkers: number;
  readonly batchTokensPerThread: number;
}

interface Engines {
  /** The engine that was opened with the user's flags. */
  readonly given: ServingEngine;
  readonly open: (flags: Flags) => Promise<ServingEngine>;
}

/**
 * Measures several combinations of `serve` flags with inputs of mixed sizes. Each measurement
 * alternates between a candidate and the user's flags.
 */
export async function compareFlags(
  engines: Engines,
  plan: readonly BenchInputs[],
  given: Flags,
  host: Host,
  milliseconds: number,
  onProgress: (done: number, total: number) => void,
): Promise<FlagsComparison> {
  const divisions =
    given.workers === undefined && given.threads === undefined
      ? threadCandidates(host.cores, host.maxWorkers).map((flags) => ({ ...given, ...flags }))
      : [];
  const total = divisions.length + (given.maxBatchTokens === undefined ? BATCHES : 0);
  const slice = milliseconds / (Math.max(1, total) * TURNS * 2);
  const inputs = plan.filter(({ size }) => !('tokens' in size) || size.tokens <= LONGEST);
  const requests = mixedRequests(inputs);
  const [once] = (await putLoad(engines.given, requests, 1, 0)).latencies;
  const concurrency = (once ?? 0) * MANY > PATIENCE * slice ? FEW : MANY;
  const measure = async (engine: ServingEngine): Promise<Loads> => ({
    single: [await putLoad(engine, requests, 1, slice / 3)],
    many: [await putLoad(engine, requests, concurrency, (slice * 2) / 3)],
  });

  const ofGiven: Loads[] = [];
  const results: FlagsResult[] = [];
  const compare = async (flags: Flags): Promise<void> => {
    onProgress(results.length, total);
    const engine = await engines.open(flags);
    try {
      const turns: { readonly given: Loads; readonly other: Loads }[] = [];
      for (let turn = 0; turn < TURNS; turn += 1)
        turns.push({ given: await measure(engines.given), other: await measure(engine) });
      const before = together(turns.map((turn) => turn.given));
      ofGiven.push(before);
      results.push(flagsResult(flags, together(turns.map((turn) => turn.other)), before));
    } finally {
      await engine.close();
    }
  };
  const asGiven = (): FlagsResult => flagsResult(given, together(ofGiven), together(ofGiven));
  for (const flags of divisions) await compare(flags);
  if (total === 0) ofGiven.push(await measure(engines.given));
  if (given.maxBatchTokens === undefined) {
    const flags = results.length === 0 ? given : bestOf(asGiven(), results, 'many').flags;
    const batchTokens = host.batchTokensPerThread * (flags.threads ?? 1);
    for (const candidate of batchCandidates(flags, batchTokens)) await compare(candidate);
  }
  onProgress(total, total);
  const all = [asGiven(), ...results];
  const fastest = bestOf(asGiven(), results, 'many');
  const soonest = bestOf(fastest, all, 'single');
  return {
    concurrency,
    inputs,
    results: all,
    fastest,
    soonest: soonest === fastest ? undefined : soonest,
  };
}

const BATCHES = batchCandidates({}, 1).length;

const together = (loads: readonly Loads[]): Loads => ({
  single: loads.flatMap(({ single }) => single),
  many: loads.flatMap(({ many }) => many),
});

/** Mostly short texts and small images: one of the greatest size, and two of every other size. */
const mixedRequests = (inputs: readonly BenchInputs[]): PredictBody[] =>
  inputs.flatMap(({ kind, size, requests }) => {
    if ('count' in size) return requests;
    const isGreatest = inputs.findLast((one) => one.kind === kind)?.size === size;
    return requests.slice(0, isGreatest ? 1 : 2);
  });
