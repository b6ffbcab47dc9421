import type { Nanos } from './money.ts';

/** An MCP server whose tools models can use. */
export interface ToolServer {
  readonly label: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Name patterns of the tools that can be used; undefined for all. */
  readonly allowedTools: readonly string[] | undefined;
  readonly approval: ApprovalRule;
  /** Who can use the server; undefined for all users. Each list contains name patterns. */
  readonly users: readonly string[] | undefined;
  readonly teams: readonly string[] | undefined;
  readonly keys: readonly string[] | undefined;
  /** Maximum time for one tool call. */
  readonly timeoutMs: number;
  /** Header that carries the ID of the user, if any. */
  readonly userHeader: string | undefined;
  /** Set if each request to the server has a token that names the user. */
  readonly userToken: UserTokenSettings | undefined;
}

/** The claims of a token that names a user of the gateway. */
export interface UserTokenSettings {
  readonly issuer: string;
  readonly audience: string;
}

/** Which tool calls a person must approve: none, all, or those of tools whose names match a pattern. */
export type ApprovalRule = 'never' | 'always' | readonly string[];

/** A tool that searches the web for models whose provider has no search. */
interface WebSearchSettings {
  readonly server: string;
  readonly tool: string;
  /** Patterns of the models that use the tool; undefined for those whose provider does not speak the client's API. */
  readonly models: readonly string[] | undefined;
}

/** MCP servers whose tools the gateway runs for models. */
export interface ToolSettings {
  readonly servers: ReadonlyMap<string, ToolServer>;
  /** What happens with MCP servers in a request that are not configured. */
  readonly otherServers: 'reject' | 'provider';
  /** Maximum number of model calls per request. */
  readonly maxRounds: number;
  /** Time after which no further model or tool is called. */
  readonly maxMs: number;
  /** Cost after which no further model is called; undefined for no limit. */
  readonly maxCost: Nanos | undefined;
  /** Maximum number of characters of a tool's result. */
  readonly maxResultCharacters: number;
  /** How long lists of tools are cached. */
  readonly listMs: number;
  readonly webSearch: WebSearchSettings | undefined;
}
