import type { Json } from './chat.ts';

/** The members of Anthropic's messages that the gateway reads. @see https://docs.anthropic.com/en/api/messages */
export interface AnthropicMessage extends Json {
  readonly id: string;
  readonly type: 'message';
  readonly role: 'assistant';
  readonly model: string;
  readonly content: readonly AnthropicBlock[];
  readonly stop_reason: string | null;
  readonly stop_sequence: string | null;
  readonly usage: AnthropicUsage;
}

export interface AnthropicBlock extends Json {
  readonly type: string;
  readonly text?: string;
  readonly thinking?: string;
  readonly id?: string;
  readonly name?: string;
  readonly input?: unknown;
  readonly source?: Json;
  readonly tool_use_id?: string;
  readonly content?: string | readonly AnthropicBlock[];
  readonly is_error?: boolean;
}

export interface AnthropicUsage {
  readonly input_tokens?: number | null;
  readonly output_tokens?: number | null;
  readonly cache_read_input_tokens?: number | null;
  readonly cache_creation_input_tokens?: number | null;
  /** `cache_creation_input_tokens`, split by how long the tokens are cached. */
  readonly cache_creation?: {
    readonly ephemeral_5m_input_tokens?: number | null;
    readonly ephemeral_1h_input_tokens?: number | null;
  } | null;
  readonly output_tokens_details?: { readonly thinking_tokens?: number } | null;
}

export interface AnthropicTool extends Json {
  readonly name: string;
  readonly description?: string;
  readonly input_schema?: Json;
  readonly type?: string;
}
