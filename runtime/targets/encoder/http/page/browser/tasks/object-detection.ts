import { svg } from '#serve/http/pages/browser/charts/axis.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { percent } from '../numbers.ts';
import { ofImages } from './images.ts';
import { colors } from './marked-text.ts';
import type { Task } from './task.ts';

interface FoundObject {
  readonly label: string;
  readonly score: number;
  readonly box: Readonly<Record<'xmin' | 'ymin' | 'xmax' | 'ymax', number>>;
}

export const objectDetection: Task<{
  readonly results: readonly { readonly objects: readonly FoundObject[] }[];
}> = {
  ...ofImages,
  title: 'Object detection',

  draw(sent, { results }, { id2label, threshold = 0.5 }) {
    const colorOf = colors(Object.values(id2label ?? {}));
    const found = sent.map((one, at) => ({ ...one, objects: results[at]?.objects ?? [] }));
    return {
      parts: found.map(({ number, text, name = 'Image', objects }) =>
        element(
          'article',
          { class: 'result' },
          element('h3', {}, `Image ${number}`),
          withBoxes(text, name, objects, colorOf),
          objects.length === 0
            ? element('p', { class: 'finding' }, `No object has a score above ${percent(threshold)}.`)
            : objectTable(number, objects, colorOf),
        ),
      ),
      spoken: found.map(({ number, objects }) => `Image ${number}: ${spokenObjects(objects)}.`).join(' '),
    };
  },
};

const spokenObjects = (objects: readonly FoundObject[]) =>
  objects.length === 0
    ? 'no objects'
    : objects.map(({ label, score }) => `${label} ${percent(score)}`).join(', ');

/** The image with the boxes over it. The table contains the same, so screen readers skip the boxes. */
function withBoxes(
  url: string,
  name: string,
  objects: readonly FoundObject[],
  colorOf: (label: string) => number,
) {
  const image = element('img', { src: url, alt: name });
  const boxes = svg(
    'svg',
    { 'aria-hidden': 'true', preserveAspectRatio: 'none' },
    // The object with the highest score is drawn last, so that no other box covers it.
    ...objects
      .map(({ label, box: { xmin, ymin, xmax, ymax } }) =>
        svg('rect', {
          class: `object color-${colorOf(label)}`,
          x: xmin,
          y: ymin,
          width: xmax - xmin,
          height: ymax - ymin,
        }),
      )
      .toReversed(),
  );
  // Boxes are in pixels of the file, whose size is known when the image has been read.
  image.addEventListener('load', () =>
    boxes.setAttribute('viewBox', `0 0 ${image.naturalWidth} ${image.naturalHeight}`),
  );
  return element('div', { class: 'boxes' }, image, boxes);
}

function objectTable(number: number, objects: readonly FoundObject[], colorOf: (label: string) => number) {
  const rows = objects.map(({ label, score, box: { xmin, ymin, xmax, ymax } }) => [
    element('span', { class: `entity color-${colorOf(label)}` }, label),
    percent(score),
    `${pixels(xmin)}, ${pixels(ymin)}`,
    `${pixels(xmax)}, ${pixels(ymax)}`,
  ]);
  const columns = ['Object', 'Score', 'Left, top', 'Right, bottom'];
  return table(`Objects in image ${number}`, columns, rows, 'figures');
}

const pixels = (value: number) => String(Math.round(value));
