/**
 * ONNX names the file of external weights by name, and a user may rename the executable that holds them. So the graph is
 * built with a name of fixed width, which is overwritten in place at every start: rewriting the graph as protobuf took
 * 20 ms of a 140 ms start. The padding is a path that leads nowhere else: `./` again and again.
 */
const LOCATION_WIDTH = 768;

/** What stands in a built graph. No other text can be this long run of the same two characters. */
export const LOCATION_PLACEHOLDER = padLocation('weights');

/** `name` as a relative path of exactly LOCATION_WIDTH bytes. */
export function padLocation(name: string): string {
  const free = LOCATION_WIDTH - new TextEncoder().encode(name).length;
  return `${'./'.repeat(Math.floor(free / 2))}${free % 2 === 1 ? '/' : ''}${name}`;
}
