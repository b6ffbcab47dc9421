export interface Token {
  readonly token_info: { token: string; token_id: number; start: number; end: number };
  readonly label: string;
  readonly score: number;
}

/** A segment of a text: an entity, or the text between two entities. */
export interface Piece {
  readonly text: string;
  readonly type?: string;
}

/**
 * Splits a text into entities and the text between them. Adjacent tokens of the same type form one
 * entity, unless a `B-` label starts a new one.
 */
export const piecesOf = (text: string, tokens: readonly Token[]) => piecesBetween(text, entitiesOf(tokens));

/**
 * Splits a text into entities, sorted by start, and the text between them. Offsets count Unicode code points, but strings count
 * UTF-16 units.
 */
export function piecesBetween(
  text: string,
  entities: readonly { type: string; start: number; end: number }[],
): Piece[] {
  const characters = Array.from(text);
  const cut = (start: number, end: number) => characters.slice(start, end).join('');
  const pieces: Piece[] = [];
  let done = 0;
  for (const { type, start, end } of entities) {
    if (start > done) pieces.push({ text: cut(done, start) });
    if (end > Math.max(start, done)) pieces.push({ text: cut(Math.max(start, done), end), type });
    done = Math.max(done, end);
  }
  if (done < characters.length) pieces.push({ text: cut(done, characters.length) });
  return pieces;
}

function entitiesOf(tokens: readonly Token[]): { type: string; start: number; end: number }[] {
  const entities: { type: string; start: number; end: number }[] = [];
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

/** Returns the entity type of a label: PER for B-PER and I-PER. */
export const typeOf = (label: string) => label.replace(/^[BI]-/, '');
