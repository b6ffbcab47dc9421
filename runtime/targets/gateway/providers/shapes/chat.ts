/**
 * The gateway's internal format: OpenAI's chat completions. Only members that the gateway reads are declared;
 * all others pass through.
 * @see https://platform.openai.com/docs/api-reference/chat
 */
export type Json = Readonly<Record<string, unknown>>;

export interface ChatRequest extends Json {
  readonly model: string;
  readonly messages: readonly ChatMessage[];
  readonly stream?: boolean | null;
  readonly max_tokens?: number | null;
  readonly max_completion_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly n?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly tools?: readonly ChatTool[] | null;
  readonly tool_choice?: ToolChoice | null;
  readonly parallel_tool_calls?: boolean | null;
  readonly response_format?: ResponseFormat | null;
  readonly reasoning_effort?: string | null;
  readonly user?: string | null;
}

export interface ChatMessage {
  readonly role: string;
  readonly content?: string | readonly ContentPart[] | null;
  readonly name?: string;
  readonly refusal?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly ToolCall[] | null;
  readonly tool_call_id?: string;
  /** From Anthropic's API: whether the tool call failed; `content` then contains the reason. */
  readonly is_error?: boolean;
  readonly extra_content?: ExtraContent;
}

/** Data that Google's OpenAI-compatible API requires clients to return in the next request. */
export interface ExtraContent {
  readonly google?: { readonly thought_signature?: string };
}

export interface ContentPart {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
  readonly image_url?: { readonly url: string; readonly detail?: string };
  readonly file?: { readonly file_data?: string; readonly filename?: string };
}

export interface ToolCall {
  readonly id: string;
  readonly type: 'function';
  readonly function: { readonly name: string; readonly arguments: string };
  readonly extra_content?: ExtraContent;
}

export interface ChatTool {
  /** `function` for tools that every provider can call. */
  readonly type: string;
  readonly function?: {
    readonly name: string;
    readonly description?: string;
    readonly parameters?: Json;
    readonly strict?: boolean | null;
  };
}

export type ToolChoice =
  | 'none'
  | 'auto'
  | 'required'
  | { readonly type: string; readonly function?: { readonly name: string } };

export interface ResponseFormat {
  readonly type: string;
  readonly json_schema?: {
    readonly name?: string;
    readonly schema?: Json;
    readonly strict?: boolean | null;
    readonly description?: string;
  };
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter';

export interface ChatUsage {
  readonly prompt_tokens?: number;
  readonly completion_tokens?: number;
  readonly total_tokens?: number;
  readonly prompt_tokens_details?: {
    readonly cached_tokens?: number;
    /**
     * Not part of OpenAI's API: tokens written to the provider's cache, which some providers bill at a
     * higher price.
     */
    readonly cache_write_tokens?: number;
    /** The part of `cache_write_tokens` that is cached for 1 hour. */
    readonly cache_write_1h_tokens?: number;
    readonly image_tokens?: number;
  } | null;
  readonly completion_tokens_details?: {
    readonly reasoning_tokens?: number;
    readonly image_tokens?: number;
  } | null;
  /** Not part of OpenAI's API: what the provider did in addition to generating tokens. */
  readonly server_tool_use?: { readonly web_search_requests?: number } | null;
}

export interface ChatCompletion {
  readonly id: string;
  readonly object: 'chat.completion';
  readonly created: number;
  readonly model: string;
  readonly choices: readonly {
    readonly index: number;
    readonly message: ChatMessage;
    readonly finish_reason: string | null;
    readonly logprobs?: unknown;
  }[];
  readonly usage?: ChatUsage | null;
}

export interface ChatChunk {
  readonly id?: string;
  readonly object?: 'chat.completion.chunk';
  readonly created?: number;
  readonly model?: string;
  readonly choices?: readonly ChunkChoice[];
  readonly usage?: ChatUsage | null;
}

export interface ChunkChoice {
  readonly index: number;
  readonly delta?: ChunkDelta;
  readonly finish_reason?: string | null;
  readonly logprobs?: unknown;
}

export interface ChunkDelta {
  readonly role?: string;
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  /** The name that OpenRouter and other providers use for `reasoning_content`. */
  readonly reasoning?: string | null;
  readonly refusal?: string | null;
  readonly tool_calls?: readonly ToolCallDelta[] | null;
  readonly extra_content?: ExtraContent;
}

export interface ToolCallDelta {
  readonly index: number;
  readonly id?: string;
  readonly type?: 'function' | 'custom';
  readonly function?: { readonly name?: string; readonly arguments?: string };
  readonly custom?: { readonly name: string; readonly input: string };
  readonly extra_content?: ExtraContent;
}

/**
 * The API that a client uses: OpenAI's chat completions, responses or completions, Anthropic's messages, or
 * Gemini's own API.
 */
export type Wire = 'chat' | 'messages' | 'responses' | 'completions' | 'gemini';
