/** Something that passes tool calls on to the same MCP server. */
export interface Contestant {
  readonly name: string;
  /** Starts it with so many servers behind it, all alike; the calls go to the first. */
  start(this: void, servers: number): Promise<RunningContestant>;
}

export interface RunningContestant {
  /** The process in the middle; absent where there is none. */
  readonly pid: number | undefined;
  /** Calls the tool `echo` with this text and returns the text of the result. */
  readonly call: (text: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}
