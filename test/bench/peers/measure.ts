import { interleave, median } from '../measure/rounds.ts';
import { putLoad } from '../serve/load.ts';
import { processorTime, type RunningPeer } from './running.ts';
import type { Scenario } from './scenarios.ts';

/** Medians over the rounds. */
export interface ServingResult {
  readonly textsPerSecond: number;
  readonly p50: number;
  readonly p99: number;
  /** CPU time per text in milliseconds. */
  readonly processorMs: number;
}

/** Sends the same requests to all servers, alternating between them. */
export async function measureServing(
  peers: readonly RunningPeer[],
  { requests, concurrency }: Scenario,
  rounds: number,
): Promise<Map<string, ServingResult>> {
  const measured = new Map<string, ServingResult[]>(peers.map(({ name }) => [name, []]));
  const texts = requests.flat().length;
  const turn = (peer: RunningPeer) => async (): Promise<number> => {
    const before = processorTime(peer.pid);
    const { textsPerSecond, latencies } = await putLoad({ ...peer, requests, concurrency });
    const sorted = latencies.toSorted((a, b) => a - b);
    const at = (share: number): number =>
      sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
    const processorMs = (processorTime(peer.pid) - before) / texts;
    measured.get(peer.name)?.push({ textsPerSecond, p50: at(0.5), p99: at(0.99), processorMs });
    return textsPerSecond;
  };
  await interleave(Object.fromEntries(peers.map((peer) => [peer.name, turn(peer)])), rounds);
  const middle = (results: readonly ServingResult[], key: keyof ServingResult): number =>
    median(results.map((result) => result[key]));
  return new Map(
    [...measured].map(([name, results]) => [
      name,
      {
        textsPerSecond: middle(results, 'textsPerSecond'),
        p50: middle(results, 'p50'),
        p99: middle(results, 'p99'),
        processorMs: middle(results, 'processorMs'),
      },
    ]),
  );
}
