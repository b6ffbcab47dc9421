import type { Json } from '../../../providers/shapes/chat.ts';
import type { ApprovalRule } from '../../../shared/tool-settings.ts';

/** A function that a model can call, as the APIs of all providers describe it. */
export interface FunctionTool {
  readonly name: string;
  readonly description: string | undefined;
  readonly parameters: Json;
}

/** A server in a request, before its label has been looked up. */
export interface RequestedServer {
  readonly label: string | undefined;
  readonly url: string | undefined;
  readonly allowedTools: readonly string[] | undefined;
  /** The client's own rule, which can only add approvals to those that the configuration requires. */
  readonly approval: ApprovalRule | undefined;
  /** The entry itself, which is sent to the provider if the server is not configured. */
  readonly written: unknown;
}

/** What a request asks the gateway to run. */
interface RequestedTools {
  readonly servers: readonly RequestedServer[];
  /** Whether the request has the provider's own web search. */
  readonly hasSearch: boolean;
}

/** A call of a function by a model. */
export interface FunctionCall {
  readonly id: string;
  /** Name of the function. */
  readonly name: string;
  /** Arguments as JSON. */
  readonly args: string;
}

/** A tool that the gateway runs, with the name of the function by which models call it. */
export interface NamedTool extends FunctionTool {
  readonly label: string;
  readonly tool: string;
  readonly needsApproval: boolean;
  /**
   * Whether only the key has the tool, not the request. Blocks and items that a client does not know can end its
   * conversation, so its responses contain none for such a tool.
   */
  readonly isHidden: boolean;
}

/** Finds tools by the names of their functions, and the names of functions by their tools. */
export interface ToolNames {
  readonly byFunction: ReadonlyMap<string, NamedTool>;
  /** The name of the function, also for tools that are no longer offered. */
  readonly functionOf: (label: string, tool: string) => string;
  /** Whether the gateway runs the tools of a server, so that calls in earlier responses are its own. */
  readonly isOwn: (label: unknown) => boolean;
}

/** A tool call that has ended. */
export interface Step extends FunctionCall {
  readonly tool: NamedTool;
  readonly output: string;
  readonly isError: boolean;
}

/** What a model requested in one round. */
export interface RoundCalls {
  readonly calls: readonly FunctionCall[];
  /** Calls of the client's functions. */
  readonly ownCalls: readonly OwnCall[];
}

/** A call that the client runs. */
export interface OwnCall {
  /** Empty if the client has removed it. */
  readonly id: string;
  /** ID of the item that contains the call or, in Gemini's API, its signature. */
  readonly itemId?: string | undefined;
}

/**
 * What the model has written and received from the client's last message to a response with calls of the client: its
 * messages or items in the client's API, each with all of its calls, and the results of calls that the gateway has run.
 */
export interface RememberedTurns {
  readonly calls: readonly OwnCall[];
  readonly turns: readonly unknown[];
}

/** Finds the turns that ended with a call of the client. */
export type Recall = (id: string) => RememberedTurns | undefined;

/** Why the gateway ended a response although the model had called more tools. */
export interface Stop {
  readonly reason: 'max_rounds' | 'max_time' | 'max_cost' | 'max_calls';
  readonly message: string;
}

/** One round, for the next request to the model. */
interface EndedRound {
  readonly response: Json;
  readonly steps: readonly Step[];
  /** Whether a call that the request requires is still missing. */
  readonly isRequired: boolean;
}

/** Builds one response from the responses of all rounds. */
export interface Composer {
  /** Takes the complete response of a round that does not stream. */
  whole(response: Json): RoundCalls;
  /** Takes an event; returns the events for the client. */
  event(name: string | undefined, data: string): string;
  /** The calls in the stream of this round; undefined if the stream is incomplete. */
  endOfRound(): (RoundCalls & { readonly response: Json }) | undefined;
  /** Announces calls that are about to run; returns the events. */
  starting(calls: readonly { readonly call: FunctionCall; readonly tool: NamedTool }[]): string;
  /** Adds calls that have ended; returns the events. Before the first round, they are sent with that round. */
  ended(steps: readonly Step[]): string;
  /** Adds requests for approval, on an API that has them; returns the events. */
  approvals?(requests: readonly ApprovalRequest[]): string;
  /** The last events of a stream. */
  finish(stop: Stop | undefined): string;
  /** The complete response of a request that does not stream. */
  finishWhole(stop: Stop | undefined): Json;
}

/** A call that a person must approve. */
export interface ApprovalRequest {
  readonly id: string;
  readonly label: string;
  readonly tool: string;
  readonly args: string;
}

export interface ComposerParts {
  readonly names: ToolNames;
  /** The request as the client sent it. */
  readonly request: Json;
  /** The offered tools of each server in the request, by label. */
  readonly listed: ReadonlyMap<string, readonly NamedTool[]>;
}

/** How one client API describes tools that the gateway runs. */
export interface ToolWire {
  /** The names of the client's own functions. */
  functionNames(body: Json): readonly string[];
  /** Reads what the request asks the gateway to run. */
  read(body: Json): RequestedTools;
  /**
   * Removes MCP servers, except for those in `kept`, and, if `search` is set, the provider's search; adds functions.
   */
  withTools(
    body: Json,
    changes: {
      readonly tools: readonly NamedTool[];
      readonly kept: ReadonlySet<unknown>;
      readonly search: boolean;
    },
  ): Json;
  /**
   * Replaces calls of earlier responses by calls of functions, and adds those that the client has not sent back. What
   * the client sends back takes precedence over what is remembered.
   */
  withHistory(body: Json, names: ToolNames, recall: Recall): Json;
  /** The messages or items of a request. */
  turnsOf(body: Json): readonly unknown[];
  /**
   * Adds a round to a request. Once a required call has run, calls are no longer required, because the model would call
   * functions endlessly.
   */
  next(body: Json, round: EndedRound): Json;
  compose(parts: ComposerParts): Composer;
}
