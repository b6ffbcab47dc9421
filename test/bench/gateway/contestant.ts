/** Something that passes requests on to the same provider. */
export interface Contestant {
  readonly name: string;
  /** Undefined where it cannot run here, which it reports. */
  start(this: void, upstreamPort: number): Promise<RunningContestant | undefined>;
}

export interface RunningContestant {
  /** The process in the middle; absent where there is none. */
  readonly pid: number | undefined;
  readonly target: Target;
  readonly stop: () => Promise<void>;
}

/** Where requests go, and what they say. */
export interface Target {
  readonly port: number;
  /** What the provider's models are called here. */
  readonly model: (name: string) => string;
  readonly headers: Readonly<Record<string, string>>;
}
