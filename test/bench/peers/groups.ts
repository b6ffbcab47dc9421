import { print } from '../measure/print.ts';
import { median } from '../measure/rounds.ts';
import type { Contestant } from './contestant.ts';
import { measureServing, type ServingResult } from './measure.ts';
import { residentMemory, type RunningPeer } from './running.ts';
import type { Scenario } from './scenarios.ts';
import { type PeerFacts, type PeersResult, type ServedRow, servingTable } from './summary.ts';
import { nearness, vectorsOf } from './vectors-of.ts';

/** Other servers that run at the same time as ours. More of them need more memory than small machines have. */
const GROUP_SIZE = 3;
/** The server whose vectors are the reference for all other servers. */
const REFERENCE = 'FastAPI + ORT fp32';
const COMPARED = 48;

/**
 * The servers that are measured together: ours, and a few others in the same precision. The first group contains the server whose
 * vectors are the reference.
 */
export function groupsOf(contestants: readonly Contestant[]): Contestant[][] {
  const others = contestants
    .filter(({ isOurs }) => !isOurs)
    .toSorted((a, b) => Number(b.name === REFERENCE) - Number(a.name === REFERENCE));
  return contestants
    .filter(({ isOurs }) => isOurs)
    .flatMap((ours) => {
      const same = others.filter(({ precision }) => precision === ours.precision);
      const count = Math.max(1, Math.ceil(same.length / GROUP_SIZE));
      return Array.from({ length: count }, (_, at) => [
        ours,
        ...same.slice(at * GROUP_SIZE, (at + 1) * GROUP_SIZE),
      ]);
    });
}

export interface GroupResult {
  readonly facts: readonly PeerFacts[];
  /** The results of each scenario. */
  readonly serving: readonly (readonly ServedRow[])[];
  readonly reference: readonly (readonly number[])[];
}

export interface GroupPlan {
  readonly scenarios: readonly Scenario[];
  readonly rounds: number;
  readonly cold: ReadonlyMap<string, number>;
  /** The vectors of the reference; undefined if it is in this group. */
  readonly reference: GroupResult['reference'] | undefined;
}

/** Measures servers that run at the same time, and prints the results of each scenario when it is finished. */
export async function measureGroup(
  running: readonly RunningPeer[],
  { scenarios, rounds, cold, reference: known }: GroupPlan,
): Promise<GroupResult> {
  const loaded = running.map(({ pid }) => residentMemory(pid));
  const serving: ServedRow[][] = [];
  for (const scenario of scenarios) {
    console.error(`Measuring ${scenario.title} ...`);
    const rows = comparedRows(running, await measureServing(running, scenario, rounds));
    print(`${servingTable(scenario.title, rows)}\n`);
    serving.push(rows);
  }
  const used = running.map(({ pid }) => residentMemory(pid));
  const texts = (scenarios[1]?.requests ?? []).flat().slice(0, COMPARED);
  const vectors = new Map<string, number[][]>();
  for (const peer of running) vectors.set(peer.name, await vectorsOf(peer, texts));
  const reference = known ?? vectors.get(REFERENCE) ?? [];
  const facts: PeerFacts[] = [];
  for (const [at, peer] of running.entries()) {
    const [batch = []] = vectors.get(peer.name) ?? [];
    const [alone = []] = await vectorsOf(peer, texts.slice(0, 1));
    facts.push({
      peer,
      loadedBytes: loaded[at] ?? NaN,
      usedBytes: used[at] ?? NaN,
      near: nearness(vectors.get(peer.name) ?? [], reference),
      batchDifference: Math.max(...alone.map((value, index) => Math.abs(value - (batch[index] ?? NaN)))),
      cold: cold.get(peer.name),
    });
  }
  return { facts, serving, reference };
}

/** One table per scenario. Our servers run in several groups, so their values are medians over these. */
export function combine(groups: readonly GroupResult[], scenarios: readonly Scenario[]): PeersResult {
  const unique = new Map(groups.flatMap(({ facts }) => facts.map((one) => [one.peer.name, one])));
  return {
    facts: [...unique.values()].toSorted((a, b) => Number(b.peer.isOurs) - Number(a.peer.isOurs)),
    serving: scenarios.map(({ title }, at) => {
      const rows = groups.flatMap(({ serving }) => serving[at] ?? []);
      const names = new Set(rows.map(({ name }) => name));
      return { title, rows: [...names].map((name) => middleRow(rows.filter((row) => row.name === name))) };
    }),
  };
}

/** Ratios compare with our server in the same group, because it was measured at the same time. */
function comparedRows(
  running: readonly RunningPeer[],
  results: ReadonlyMap<string, ServingResult>,
): ServedRow[] {
  const ours = running.find(({ isOurs }) => isOurs);
  const our = ours && results.get(ours.name);
  return running.flatMap(({ name, isOurs }) => {
    const result = results.get(name);
    if (!result) return [];
    return [
      {
        ...result,
        name,
        isOurs,
        faster: (our?.textsPerSecond ?? NaN) / result.textsPerSecond,
        processorRatio: result.processorMs / (our?.processorMs ?? NaN),
      },
    ];
  });
}

function middleRow(rows: readonly ServedRow[]): ServedRow {
  const [first] = rows;
  if (!first) throw new Error('a server without results');
  const middle = (key: 'textsPerSecond' | 'p50' | 'p99' | 'processorMs'): number =>
    median(rows.map((row) => row[key]));
  return {
    ...first,
    textsPerSecond: middle('textsPerSecond'),
    p50: middle('p50'),
    p99: middle('p99'),
    processorMs: middle('processorMs'),
  };
}
