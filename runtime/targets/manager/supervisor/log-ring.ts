import type { LogLine } from './managed-server.ts';

/** What a server said last, and no more of it than this. */
const MOST_LINES = 1000;
const MOST_CHARACTERS = 262_144;

/** Keeps the last lines; forgets the oldest in constant time. */
export class LogRing {
  readonly #lines: (LogLine | undefined)[] = [];
  #first = 0;
  #characters = 0;

  add(line: LogLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
    while (this.#size() > 1 && (this.#size() > MOST_LINES || this.#characters > MOST_CHARACTERS)) {
      this.#characters -= this.#lines[this.#first]?.text.length ?? 0;
      this.#lines[this.#first] = undefined;
      this.#first += 1;
    }
    if (this.#first > MOST_LINES) {
      this.#lines.splice(0, this.#first);
      this.#first = 0;
    }
  }

  last(count: number): LogLine[] {
    const from = Math.max(this.#first, this.#lines.length - Math.max(0, count));
    return this.#lines.slice(from).filter((line) => line !== undefined);
  }

  #size(): number {
    return this.#lines.length - this.#first;
  }
}
