import type { LogLine } from './managed-server.ts';

/** Maximum number of lines kept per server. */
const MAX_LINES = 1000;
/** Maximum total number of characters in these lines. */
const MAX_CHARACTERS = 262_144;

/** Keeps the last lines of a log; the oldest line is removed in constant time. */
export class LogRing {
  readonly #lines: (LogLine | undefined)[] = [];
  #first = 0;
  #characters = 0;

  add(line: LogLine): void {
    this.#lines.push(line);
    this.#characters += line.text.length;
    while (this.#size() > 1 && (this.#size() > MAX_LINES || this.#characters > MAX_CHARACTERS)) {
      this.#characters -= this.#lines[this.#first]?.text.length ?? 0;
      this.#lines[this.#first] = undefined;
      this.#first += 1;
    }
    if (this.#first > MAX_LINES) {
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
