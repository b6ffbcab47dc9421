/**
 * Width of the weights file's name in a graph. ONNX refers to the external weights file by name,
 * but users can rename the executable that contains the weights. A graph is therefore built with a
 * name of fixed width, which is overwritten in place at every start; rewriting the graph as
 * protobuf would take 20 ms of a 140 ms start. Shorter names are padded with a repeated `./`, which
 * does not change the path.
 */
const LOCATION_WIDTH = 768;

/**
 * Placeholder for the name in a built graph. No other text contains such a long sequence of these
 * two characters.
 */
export const LOCATION_PLACEHOLDER = padLocation('weights');

/** Returns `name` as a relative path of exactly LOCATION_WIDTH bytes. */
export function padLocation(name: string): string {
  const free = LOCATION_WIDTH - new TextEncoder().encode(name).length;
  return `${'./'.repeat(Math.floor(free / 2))}${free % 2 === 1 ? '/' : ''}${name}`;
}
