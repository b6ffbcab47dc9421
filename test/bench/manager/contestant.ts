/** A program that forwards tool calls to the same MCP server. */
export interface Contestant {
  readonly name: string;
  /** Starts the program with a number of identical servers; calls are sent to the first one. */
  start(this: void, servers: number): Promise<RunningContestant>;
}

export interface RunningContestant {
  /** The intermediate process, if there is one. */
  readonly pid: number | undefined;
  /** Calls the tool `echo` with this text and returns the text of the result. */
  readonly call: (text: string) => Promise<string>;
  readonly stop: () => Promise<void>;
}
