/** Why a server is not running: its last failure, or what the installation of its package is doing. */
export class ServerReason {
  readonly #redact: (text: string) => string;
  /** The last failure stays known while the server starts again. */
  #failure: { readonly text?: string; readonly lines: readonly string[] } = { lines: [] };
  #progress: string | undefined;

  constructor(redact: (text: string) => string) {
    this.#redact = redact;
  }

  get text(): string | undefined {
    return this.#progress ?? this.#failure.text;
  }

  /** The lines that the server, or its installation, wrote about the failure. */
  get lines(): readonly string[] {
    return this.#progress === undefined ? this.#failure.lines : [];
  }

  /** Records a failure. Returns its text, which becomes part of longer sentences. */
  fail(message: string, lines: readonly string[] = []): string {
    const text = this.#redact(message.replace(/\.$/, ''));
    this.#progress = undefined;
    this.#failure = { text, lines: lines.map((line) => this.#redact(line)) };
    return text;
  }

  /** Sets what the installation is doing; undefined ends it. */
  install(progress: string | undefined): void {
    this.#progress = progress === undefined ? undefined : this.#redact(progress);
  }
}
