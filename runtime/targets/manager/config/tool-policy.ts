import type { ListName } from '../shared/list-items.ts';
import type { PinScope } from './item-definition.ts';

/** Overrides for how clients see a tool. */
export interface ToolOverride {
  /** The name that clients see. */
  readonly rename?: string | undefined;
  readonly description?: string | undefined;
  /** Annotations that override the server's. */
  readonly annotations: Readonly<Record<string, string | boolean>>;
  /** Whether lists and searches omit the tool. It can still be called. */
  readonly hidden: boolean;
}

export const APPROVAL_ACTIONS = ['allow', 'deny', 'ask'] as const;
type ApprovalAction = (typeof APPROVAL_ACTIONS)[number];

export const APPROVAL_CONDITIONS = ['destructive', 'not_read_only'] as const;
type ApprovalCondition = (typeof APPROVAL_CONDITIONS)[number];

/** A rule for tool calls. The first rule that matches a tool applies; without a match, calls are allowed. */
export interface ApprovalRule {
  /** Patterns for the tool's name on the server. */
  readonly tools: readonly string[];
  /** Annotations that a tool must have; undefined for any tool. */
  readonly when?: ApprovalCondition | undefined;
  readonly action: ApprovalAction;
}

export const PIN_ACTIONS = ['warn', 'block'] as const;
export type PinAction = (typeof PIN_ACTIONS)[number];

/** A server's pinned items. */
export interface ItemPins {
  /** Action for items that are new or differ from their pins. */
  readonly onChange: PinAction;
  /** What the hashes cover. With `basic`, only tools are compared. */
  readonly scope: PinScope;
  /** Definition hashes by list and name. */
  readonly hashes: Readonly<Partial<Record<ListName, Readonly<Record<string, string>>>>>;
}

export const SCAN_ACTIONS = ['off', 'warn', 'block', 'quarantine'] as const;
/** What happens to a server's texts in which a rule finds an injection. */
export type ScanAction = (typeof SCAN_ACTIONS)[number];

/** How the texts of a server are scanned. */
export interface ScanPolicy {
  /** For lists and the server's instructions. */
  readonly definitions: ScanAction;
  /** For results, errors, notifications and requests to clients. */
  readonly results: ScanAction;
}

/**
 * Definitions are scanned once and have few false alarms. Results are not scanned by default, because that takes time in
 * each call.
 */
export const DEFAULT_SCAN: ScanPolicy = { definitions: 'warn', results: 'off' };
