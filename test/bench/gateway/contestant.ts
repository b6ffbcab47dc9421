/** A program that forwards requests to the same provider. */
export interface Contestant {
  readonly name: string;
  /** Undefined if the program cannot run on this machine, which is reported. */
  start(this: void, upstreamPort: number): Promise<RunningContestant | undefined>;
}

export interface RunningContestant {
  /** The intermediate process, if there is one. */
  readonly pid: number | undefined;
  readonly target: Target;
  readonly stop: () => Promise<void>;
}

/** The address and content of requests. */
export interface Target {
  readonly port: number;
  /** The names of the provider's models in this program. */
  readonly model: (name: string) => string;
  readonly headers: Readonly<Record<string, string>>;
}
