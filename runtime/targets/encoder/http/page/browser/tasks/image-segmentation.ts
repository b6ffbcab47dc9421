import { element } from '#serve/http/pages/browser/dom.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { percent } from '../numbers.ts';
import { bar } from './bars.ts';
import { nameOf, ofImages } from './images.ts';
import type { Model, Sent, Task } from './task.ts';

interface Segment {
  readonly label: string;
  readonly share: number;
  /** A mask in base64: white for the pixels of the label, black for others. */
  readonly png: string;
}

export const imageSegmentation: Task<{
  readonly results: readonly { readonly segments: readonly Segment[] }[];
}> = {
  ...ofImages,
  title: 'Image segmentation',
  body: (images) => ({ inputs: images, mask: 'png' }),

  draw(sent, { results }, model) {
    const found = sent.map((one, at) => ({
      ...one,
      segments: (results[at]?.segments ?? []).toSorted((left, right) => right.share - left.share),
    }));
    return {
      parts: found.map((one) => drawSegments(one, one.segments, model)),
      spoken: found
        .map(({ number, segments }) => `Image ${number}: ${segments.map(sharedLabel).join(', ')}.`)
        .join(' '),
    };
  },
};

const sharedLabel = ({ label, share }: Segment) => `${label} ${percent(share)}`;

/** An image under the regions of its labels, and the labels as a legend that shows and hides them. */
function drawSegments(image: Sent, segments: readonly Segment[], model: Model) {
  const hue = hues(model);
  const drawn = segments.map((segment) => {
    const region = element('span', { class: 'region', 'aria-hidden': 'true' });
    region.style.setProperty('--hue', hue(segment.label));
    region.style.setProperty('mask-image', `url("data:image/png;base64,${segment.png}")`);
    const choice = element('input', { type: 'checkbox', checked: true });
    choice.addEventListener('change', () => {
      region.hidden = !choice.checked;
    });
    const color = element('span', { class: 'swatch', 'aria-hidden': 'true' });
    color.style.setProperty('--hue', hue(segment.label));
    const name = element('label', { class: 'legend' }, choice, color, element('span', {}, segment.label));
    return { region, row: [name, bar(segment.share, percent(segment.share))] };
  });
  return element(
    'article',
    { class: 'result' },
    element('h3', {}, `Image ${image.number}`),
    element(
      'div',
      { class: 'segmented' },
      element('img', { src: image.text, alt: nameOf(image), class: 'thumbnail' }),
      ...drawn.map(({ region }) => region),
    ),
    table(
      `Labels in image ${image.number}`,
      ['Show', 'Share'],
      drawn.map(({ row }) => row),
      'bars',
    ),
  );
}

/** Degrees between the hues of neighboring labels. With the golden angle, all hues differ. */
const GOLDEN_ANGLE = 137.508;

/** The hue of a label, which is the same in all images. */
function hues({ id2label = {} }: Model): (label: string) => string {
  const labels = Object.values(id2label);
  return (label) => ((Math.max(0, labels.indexOf(label)) * GOLDEN_ANGLE + 212) % 360).toFixed(0);
}
