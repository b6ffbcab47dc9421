/** List items as used by the pages. The manager passes them through, so its own schemas guarantee no members. */
export interface ListedPrompt {
  readonly name: string;
  readonly description?: string;
  readonly arguments?:
    | readonly { readonly name: string; readonly description?: string; readonly required?: boolean }[]
    | null;
}

export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
}

/** A resource has a `uri`, a template a `uriTemplate`. */
export interface ListedResource {
  readonly uri?: string;
  readonly uriTemplate?: string;
  readonly name: string;
  readonly description?: string;
}

export interface ListedTool {
  readonly name: string;
  readonly title?: string;
  readonly description: string;
  readonly inputSchema?: unknown;
  readonly outputSchema?: unknown;
  readonly annotations?: Readonly<Record<string, unknown>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}
