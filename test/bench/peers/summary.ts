import { megabytes, milliseconds, ratio, tableText } from '../measure/print.ts';
import type { ServingResult } from './measure.ts';
import type { RunningPeer } from './running.ts';

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

/** How a server did in a scenario, compared with ours in the same precision. */
export interface ServedRow extends ServingResult {
  readonly name: string;
  readonly isOurs: boolean;
  /** Our texts per second, divided by those of this server. */
  readonly faster: number;
  /** This server's CPU time per text, divided by ours. */
  readonly processorRatio: number;
}

export interface PeersResult {
  readonly facts: readonly PeerFacts[];
  readonly serving: readonly { readonly title: string; readonly rows: readonly ServedRow[] }[];
}

/** The tables of this section, in Markdown. */
export const peerTables = ({ facts, serving }: PeersResult): string =>
  [...serving.map(({ title, rows }) => servingTable(title, rows)), factsTable(facts)].join('\n\n');

export const servingTable = (title: string, rows: readonly ServedRow[]): string =>
  tableText(
    [title, 'texts/s', 'p50 ms', 'p99 ms', 'CPU ms/text', 'ours is faster by', 'CPU, this / ours'],
    rows.map(({ name, textsPerSecond, p50, p99, processorMs, faster, processorRatio }) => [
      name,
      textsPerSecond.toFixed(1),
      p50.toFixed(2),
      p99.toFixed(1),
      processorMs.toFixed(2),
      ratio(faster),
      ratio(processorRatio),
    ]),
  );

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
