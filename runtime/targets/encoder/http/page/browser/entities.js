/**
 * @typedef {object} Token
 * @property {{ token: string, token_id: number, start: number, end: number }} token_info
 * @property {string} label
 * @property {number} score
 */

/**
 * A part of a text: an entity, or the text between two entities.
 * @typedef {{ text: string, type?: string }} Piece
 */

/**
 * Splits a text into entities and the text between them. Adjacent tokens of one type form one entity, unless a `B-` label
 * starts a new one.
 * @param {string} text
 * @param {readonly Token[]} tokens
 */
export const piecesOf = (text, tokens) => piecesBetween(text, entitiesOf(tokens));

/**
 * Splits a text into entities, sorted by start, and the text between them. Offsets count Unicode code points, but strings count
 * UTF-16 units.
 * @param {string} text
 * @param {readonly { type: string, start: number, end: number }[]} entities
 * @returns {Piece[]}
 */
export function piecesBetween(text, entities) {
  const characters = Array.from(text);
  const cut = (/** @type {number} */ start, /** @type {number} */ end) =>
    characters.slice(start, end).join('');
  /** @type {Piece[]} */
  const pieces = [];
  let done = 0;
  for (const { type, start, end } of entities) {
    if (start > done) pieces.push({ text: cut(done, start) });
    if (end > Math.max(start, done)) pieces.push({ text: cut(Math.max(start, done), end), type });
    done = Math.max(done, end);
  }
  if (done < characters.length) pieces.push({ text: cut(done, characters.length) });
  return pieces;
}

/**
 * @param {readonly Token[]} tokens
 * @returns {{ type: string, start: number, end: number }[]}
 */
function entitiesOf(tokens) {
  /** @type {{ type: string, start: number, end: number }[]} */
  const entities = [];
  let previous = 'O';
  for (const { label, token_info } of tokens) {
    const type = typeOf(label);
    const last = entities.at(-1);
    if (last && type === typeOf(previous) && type !== 'O' && !label.startsWith('B-')) {
      last.end = Math.max(last.end, token_info.end);
    } else if (type !== 'O') {
      entities.push({ type, start: token_info.start, end: token_info.end });
    }
    previous = label;
  }
  return entities;
}

/**
 * Returns the entity type of a label: PER for B-PER and I-PER.
 * @param {string} label
 */
export const typeOf = (label) => label.replace(/^[BI]-/, '');
