import { cosine } from '../measure/vectors.ts';
import { sendTexts } from '../serve/load.ts';
import type { RunningPeer } from './running.ts';

/** The vector of each text, as the server returns it to a request with all of them. */
export async function vectorsOf({ port, path }: RunningPeer, texts: readonly string[]): Promise<number[][]> {
  const answer = JSON.parse(await sendTexts(port, path, texts)) as {
    readonly data?: readonly { readonly embedding: number[] }[];
    readonly results?: readonly { readonly embedding: number[] }[];
  };
  return (answer.data ?? answer.results ?? []).map(({ embedding }) => embedding);
}

/** How near vectors are to those of the reference: the mean cosine and the worst. */
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
