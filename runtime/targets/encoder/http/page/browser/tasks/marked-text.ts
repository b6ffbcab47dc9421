import type { Piece } from '../entities.ts';
import { element } from '#serve/http/pages/browser/dom.ts';

/** Number of colors in the style sheet; additional types reuse them. */
const COLORS = 8;

/** A text with its entities marked. */
export function markedText(pieces: readonly Piece[], colorOf: (type: string) => number) {
  const marked = element('span');
  marked.append(
    ...pieces.map((piece) =>
      piece.type === undefined ? piece.text : entity(piece.text, piece.type, colorOf(piece.type)),
    ),
  );
  return marked;
}

const entity = (text: string, type: string, color: number) =>
  element(
    'mark',
    { class: `entity color-${color}` },
    text,
    // Separates the two for screen readers; a no-break space keeps them on one line.
    '\u00A0',
    element('span', { class: 'entity-type' }, type),
  );

/** Assigns a color to each entity type, the same for all texts. */
export const colors =
  (types: readonly string[]): ((type: string) => number) =>
  (type) =>
    (Math.max(0, types.indexOf(type)) % COLORS) + 1;

/** A text on one line, preceded by the number of its box. */
export const numbered = (number: number, text: string) =>
  element('span', { class: 'numbered' }, element('b', {}, String(number)), ' ', element('span', {}, text));

/**
 * A text with its results. `text`: a string is only shown for reference and can be truncated; a node is the result itself.
 */
export const quotedText = (number: number, text: Node | string, ...findings: Node[]) =>
  element(
    'article',
    { class: 'result' },
    element('h3', {}, `Text ${number}`),
    element('blockquote', { class: typeof text === 'string' ? 'quote short' : 'quote' }, text),
    ...findings,
  );
