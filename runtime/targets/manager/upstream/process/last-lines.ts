/** Maximum number of lines that are kept to explain a failure. A stack trace of Node or Python fits. */
const MAX_LINES = 60;

/** The last lines of a process. Adding one costs the same however many were added before. */
export interface LastLines {
  add(line: string): void;
  /** Returns the lines, oldest first. */
  all(): readonly string[];
}

export function createLastLines(): LastLines {
  const ring: string[] = [];
  let next = 0;
  return {
    add(line) {
      ring[next] = line;
      next = (next + 1) % MAX_LINES;
    },
    all: () => [...ring.slice(next), ...ring.slice(0, next)],
  };
}
