import { element } from '#serve/http/pages/browser/dom.ts';
import { bars } from './bars.ts';
import { type Embedded, drawVectors } from './embedding.ts';
import { noneNote, rank, spokenRanks } from './sequence-classification.ts';
import type { Sent, Task } from './task.ts';

/** What all models that read images have in common. */
export const ofImages = {
  inputs: 'images',
  labels: (labels: readonly string[]) => labels,
  path: 'predict',
  body: (images: readonly string[]) => ({ inputs: images }),
  examples: () => [],
} as const;

export const imageClassification: Task<{
  readonly results: readonly { readonly scores: readonly number[] }[];
}> = {
  ...ofImages,
  title: 'Image classification',

  draw(sent, { results }, model) {
    const ranked = sent.map((one, at) => ({ ...one, ranks: rank(results[at]?.scores ?? [], model) }));
    return {
      parts: ranked.map((one) =>
        imageResult(one, ...noneNote(one.ranks), ...bars(one.ranks, `image ${one.number}`)),
      ),
      spoken: ranked.map(({ number, ranks }) => `Image ${number}: ${spokenRanks(ranks)}.`).join(' '),
    };
  },
};

export const imageEmbedding: Task<{ readonly results: readonly Embedded[] }> = {
  ...ofImages,
  title: 'Image embedding',
  labels: () => [],
  draw: (sent, { results }) =>
    drawVectors(
      sent.map((one) => ({ ...one, text: nameOf(one) })),
      results,
      'image',
    ),
};

/** An image with its results. */
export const imageResult = (one: Sent, ...parts: Node[]) =>
  element(
    'article',
    { class: 'result' },
    element('h3', {}, `Image ${one.number}`),
    element('img', { src: one.text, alt: nameOf(one), class: 'thumbnail' }),
    ...parts,
  );

export const nameOf = ({ name = 'Image' }: Sent) => name;
