/** @import { Piece } from '../entities.js' */
import { element } from '../dom.js';

/** Number of colors in the style sheet; additional types reuse them. */
const COLORS = 8;

/**
 * A text with its entities marked.
 * @param {readonly Piece[]} pieces
 * @param {(type: string) => number} colorOf
 */
export function markedText(pieces, colorOf) {
  const marked = element('span');
  marked.append(
    ...pieces.map((piece) =>
      piece.type === undefined ? piece.text : entity(piece.text, piece.type, colorOf(piece.type)),
    ),
  );
  return marked;
}

/**
 * @param {string} text
 * @param {string} type
 * @param {number} color
 */
const entity = (text, type, color) =>
  element(
    'mark',
    { class: `entity color-${color}` },
    text,
    // Separates the two for screen readers; a no-break space keeps them on one line.
    '\u00A0',
    element('span', { class: 'entity-type' }, type),
  );

/**
 * Assigns a color to each entity type, the same for every text.
 * @param {readonly string[]} types
 * @returns {(type: string) => number}
 */
export const colors = (types) => (type) => (Math.max(0, types.indexOf(type)) % COLORS) + 1;
