import { percent } from '../numbers.ts';
import { bars } from './bars.ts';
import { type Embedded, drawVectors, embedding } from './embedding.ts';
import { imageResult, nameOf, ofImages } from './images.ts';
import { labelsIn, type Task } from './task.ts';

export const imageTextEmbedding: Task<{ readonly results: readonly Embedded[] }> = {
  title: 'Embedding of texts and images',
  inputs: 'texts and images',
  labels: () => [],
  path: 'predict',
  body: (inputs) => ({ inputs: inputs.map((one) => (IMAGE.test(one) ? { image: one } : one)) }),
  draw: (sent, { results }) =>
    drawVectors(
      sent.map((one) => (one.name === undefined ? one : { ...one, text: nameOf(one) })),
      results,
      'input',
    ),
  examples: embedding.examples,
};

/** The `data:` URL of a chosen file. */
const IMAGE = /^data:[^\s,]*;base64,/;

interface Scored {
  readonly labels: readonly string[];
  readonly scores: readonly number[];
}

export const zeroShotImageClassification: Task<{ readonly results: readonly Scored[] }> = {
  ...ofImages,
  title: 'Zero-shot image classification',
  labels: () => [],
  asks: 'Labels, separated by commas',
  body: (images, _, labels) => ({ inputs: images, candidate_labels: labelsIn(labels) }),

  draw(sent, { results }) {
    const ranked = sent.map((one, at) => {
      const { labels, scores } = results[at] ?? { labels: [], scores: [] };
      const ranks = labels.map((label, rank) => {
        const score = scores[rank] ?? 0;
        return { label, score, shown: percent(score), hasBar: true };
      });
      return { one, ranks };
    });
    return {
      parts: ranked.map(({ one, ranks }) => imageResult(one, ...bars(ranks, `image ${one.number}`))),
      spoken: ranked
        .map(({ one, ranks }) => `Image ${one.number}: ${ranks[0]?.label} ${ranks[0]?.shown}.`)
        .join(' '),
    };
  },

  examples: () => [{ name: 'Animals', query: 'a cat, a dog, a bird', texts: [] }],
};
