/** A named group of servers and tools, with MCP and HTTP endpoints of its own. */
export interface GroupSpec {
  readonly name: string;
  /** Patterns of servers. */
  readonly servers: readonly string[];
  /** Patterns of `server/name`; on a server that they mention, the group has only matching items. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
}
