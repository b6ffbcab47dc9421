import type { ScriptEnd, ScriptLimits, ToolReply, ToolRequest } from '#transform/tool-script/tool-script.ts';

/** A script for a thread. */
export interface ScriptJob {
  readonly source: string;
  readonly limits: ScriptLimits;
  /** Starts the texts that stand for binary data. */
  readonly handlePrefix: string;
}

export type ToThread =
  | { readonly kind: 'run'; readonly job: ScriptJob }
  | { readonly kind: 'reply'; readonly id: number; readonly reply: ToolReply };

export type FromThread =
  | { readonly kind: 'call'; readonly request: ToolRequest }
  | { readonly kind: 'end'; readonly end: ScriptEnd };

/** The data with which a thread is started. */
export interface ThreadData {
  /** Path of Lua as WebAssembly. */
  readonly lua: string;
}
