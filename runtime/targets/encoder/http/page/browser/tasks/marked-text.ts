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
    // Separates the entity from its type for screen readers. A no-break space keeps both on one line.
    '\u00A0',
    element('span', { class: 'entity-type' }, type),
  );

/** Assigns a color to each entity type. The color is the same in all texts. */
export const colors =
  (types: readonly string[]): ((type: string) => number) =>
  (type) =>
    (Math.max(0, types.indexOf(type)) % COLORS) + 1;

/** A text on one line, preceded by the number of its box. */
export const numbered = (number: number, text: string) =>
  element('span', { class: 'numbered' }, element('b', {}, String(number)), ' ', element('span', {}, text));

/**
 * Shows a text with its results. If `text` is a string, it is only shown for reference and can be
 * truncated; if it is a node, it is the result itself.
 */
export const quotedText = (number: number, text: Node | string, ...findings: Node[]) =>
  element(
    'article',
    { class: 'result' },
    element('h3', {}, `Text ${number}`),
    element('blockquote', { class: typeof text === 'string' ? 'quote short' : 'quote' }, text),
    ...findings,
  );
