import { cosine } from '../measure/vectors.ts';
import { sendTexts } from '../serve/load.ts';
import type { RunningPeer } from './running.ts';

/** The vector of each text, from one request with all texts. */
export async function vectorsOf({ port, path }: RunningPeer, texts: readonly string[]): Promise<number[][]> {
  const answer = JSON.parse(await sendTexts(port, path, texts)) as {
    readonly data?: readonly { readonly embedding: number[] }[];
    readonly results?: readonly { readonly embedding: number[] }[];
  };
  return (answer.data ?? answer.results ?? []).map(({ embedding }) => embedding);
}

/** Similarity to the reference vectors: the mean cosine and the lowest one. */
export function nearness(
  vectors: readonly (readonly number[])[],
  reference: readonly (readonly number[])[],
): { readonly mean: number; readonly worst: number } {
  const cosines = vectors.map((vector, at) => cosine(vector, reference[at] ?? []));
  return {
    mean: cosines.reduce((sum, value) => sum + value, 0) / cosines.length,
    worst: Math.min(...cosines),
  };
}
