/** Changes of a tool as clients see it. */
export interface ToolOverride {
  /** The name for clients. */
  readonly rename?: string | undefined;
  readonly description?: string | undefined;
  /** Annotations that replace those of the server. */
  readonly annotations: Readonly<Record<string, string | boolean>>;
  /** Whether lists and searches omit the tool. It can still be called. */
  readonly hidden: boolean;
}

export const APPROVAL_ACTIONS = ['allow', 'deny', 'ask'] as const;
type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVAL_CONDITIONS = ['destructive', 'not_read_only'] as const;
type ApprovalCondition = (typeof APPROVAL_CONDITIONS)[number];

/** A rule for calls of tools. The first rule that matches a tool applies; without a match, calls are allowed. */
export interface ApprovalRule {
  /** Patterns for the server's own names of tools. */
  readonly tools: readonly string[];
  /** The annotations that a tool must have; undefined for any tool. */
  readonly when?: ApprovalCondition | undefined;
  readonly action: ApprovalAction;
}

export const PIN_ACTIONS = ['warn', 'block'] as const;
export type PinAction = (typeof PIN_ACTIONS)[number];

/** The pinned tools of a server. */
export interface ToolPins {
  /** What happens with tools that are new or differ from their pinned definition. */
  readonly onChange: PinAction;
  /** Hashes of definitions by the name of the tool. */
  readonly hashes: Readonly<Record<string, string>>;
}
