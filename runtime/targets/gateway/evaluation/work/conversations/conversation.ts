import type { Json } from '../../../providers/shapes/chat.ts';
import type { CallOrder, ExpectedCall } from '../../metrics/calls/match-calls.ts';
import type { BackendMessage } from '../backends/backend.ts';

/** Columns that a conversation is read from, in addition to the model input. */
export const CONVERSATION_COLUMNS = {
  messages: 'messages',
  turns: 'turns',
  tools: 'tools',
  results: 'tool_results',
  state: 'state',
  steps: 'max_steps',
} as const;

/** Columns with expectations, which can also be members of a turn. */
export const EXPECTATION_COLUMNS = {
  calls: 'expected_calls',
  order: 'call_order',
  forbidden: 'forbidden_calls',
  checks: 'checks',
  state: 'expected_state',
} as const;

export interface ForbiddenCall {
  readonly name: string;
  readonly accepts: (given: unknown) => boolean;
}

/** Whether a response meets a condition. */
export type AnswerCheck = (answer: string) => boolean;

/** What a turn, or the whole conversation, is expected to do. Undefined members are not checked. */
export interface Expectation {
  readonly calls: readonly ExpectedCall[] | undefined;
  readonly order: CallOrder;
  readonly forbidden: readonly ForbiddenCall[];
  readonly checks: readonly AnswerCheck[];
  readonly state: { readonly expected: unknown } | undefined;
}

export interface Turn {
  /** The user's message; undefined if the model continues after a tool result. */
  readonly user: string | undefined;
  readonly expectation: Expectation;
}

/** A scripted result for calls to a tool. */
export interface ScriptedResult {
  readonly name: string;
  /** Undefined for all arguments. */
  readonly accepts: ((given: unknown) => boolean) | undefined;
  readonly result: unknown;
  /** Changes to the state, as a JSON Merge Patch (RFC 7396). */
  readonly state: unknown;
}

/** A row as a conversation. */
export interface Conversation {
  /** Messages before the first turn. */
  readonly history: readonly BackendMessage[];
  readonly turns: readonly Turn[];
  readonly tools: readonly Json[] | undefined;
  /** Undefined if a turn ends with the model's first calls. */
  readonly results: readonly ScriptedResult[] | undefined;
  readonly state: unknown;
  /** Maximum number of model calls per turn. */
  readonly maxSteps: number;
  /** What the conversation as a whole is expected to do. */
  readonly expectation: Expectation;
}

/** A tool call in a finished conversation. */
export interface RecordedCall {
  /** Number of the turn, starting at 1. */
  readonly turn: number;
  readonly name: string;
  readonly arguments: unknown;
}
