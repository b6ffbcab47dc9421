/**
 * ONNX refers to the external weights file by name, and users can rename the executable that
 * contains the weights. The graph is therefore built with a fixed-width name, which is overwritten
 * in place at every start: rewriting the graph as protobuf took 20 ms of a 140 ms start. The
 * padding is a no-op path prefix: repeated `./`.
 */
const LOCATION_WIDTH = 768;

/** Placeholder in a built graph. No other text contains such a long run of these two characters. */
export const LOCATION_PLACEHOLDER = padLocation('weights');

/** Returns `name` as a relative path of exactly LOCATION_WIDTH bytes. */
export function padLocation(name: string): string {
  const free = LOCATION_WIDTH - new TextEncoder().encode(name).length;
  return `${'./'.repeat(Math.floor(free / 2))}${free % 2 === 1 ? '/' : ''}${name}`;
}
