import { megabytes, milliseconds, ratio, tableText } from '../measure/print.ts';
import type { ServingResult } from './measure.ts';
import type { RunningPeer } from './running.ts';
import type { Scenario } from './scenarios.ts';

export interface PeerFacts {
  readonly peer: RunningPeer;
  /** Memory after the start and after the run. */
  readonly loadedBytes: number;
  readonly usedBytes: number;
  /** Similarity of the vectors to those of ONNX Runtime in float32. */
  readonly near: { readonly mean: number; readonly worst: number };
  /** The largest difference between a text's vector alone and in a batch. */
  readonly batchDifference: number;
  /** Milliseconds for one text in a new process; undefined if the program has no such mode. */
  readonly cold: number | undefined;
}

export interface PeersResult {
  readonly facts: readonly PeerFacts[];
  readonly serving: readonly {
    readonly scenario: Scenario;
    readonly results: ReadonlyMap<string, ServingResult>;
  }[];
}

/** The tables of this section, in Markdown. */
export const peerTables = ({ facts, serving }: PeersResult): string =>
  [...serving.map(({ scenario, results }) => servingTable(scenario, results, facts)), factsTable(facts)].join(
    '\n\n',
  );

/** Ratios compare with our server in the same precision, or with our first one. */
function servingTable(
  { title }: Scenario,
  results: ReadonlyMap<string, ServingResult>,
  facts: readonly PeerFacts[],
): string {
  const ours = facts.filter(({ peer }) => peer.isOurs);
  const rows = facts.flatMap(({ peer }) => {
    const same = ours.find((one) => one.peer.precision === peer.precision) ?? ours[0];
    const [result, our] = [results.get(peer.name), same && results.get(same.peer.name)];
    if (!result) return [];
    return [
      [
        peer.name,
        result.textsPerSecond.toFixed(1),
        result.p50.toFixed(2),
        result.p99.toFixed(1),
        result.processorMs.toFixed(2),
        ratio((our?.textsPerSecond ?? NaN) / result.textsPerSecond),
        ratio(result.processorMs / (our?.processorMs ?? NaN)),
      ],
    ];
  });
  return tableText(
    [title, 'texts/s', 'p50 ms', 'p99 ms', 'CPU ms/text', 'ours is faster by', 'CPU, this / ours'],
    rows,
  );
}

const factsTable = (facts: readonly PeerFacts[]): string =>
  tableText(
    [
      'program',
      'first answer',
      'one text, new process',
      'memory loaded',
      'after the run',
      'file',
      'mean cosine',
      'worst',
      'alone or in a batch',
    ],
    facts.map(({ peer, loadedBytes, usedBytes, near, batchDifference, cold }) => [
      peer.name,
      milliseconds(peer.firstAnswer),
      cold === undefined ? '' : milliseconds(cold),
      megabytes(loadedBytes),
      megabytes(usedBytes),
      peer.fileBytes === undefined ? '' : megabytes(peer.fileBytes),
      near.mean.toFixed(5),
      near.worst.toFixed(5),
      batchDifference.toExponential(1),
    ]),
  );
