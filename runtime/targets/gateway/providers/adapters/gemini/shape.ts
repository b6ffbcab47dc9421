import type { Json } from '../../shapes/chat.ts';

/** The members of Gemini's answers that the gateway reads. @see https://ai.google.dev/api/generate-content */
export interface GeminiAnswer extends Json {
  readonly candidates?: readonly GeminiCandidate[];
  readonly promptFeedback?: { readonly blockReason?: string };
  readonly usageMetadata?: GeminiUsage;
  readonly modelVersion?: string;
  readonly responseId?: string;
}

export interface GeminiCandidate {
  readonly index?: number;
  readonly content?: { readonly role?: string; readonly parts?: readonly GeminiPart[] };
  readonly finishReason?: string;
  /** What was found in the web, with the queries. */
  readonly groundingMetadata?: unknown;
}

export interface GeminiPart {
  readonly text?: string;
  /** Whether the text is reasoning. */
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly id?: string; readonly name: string; readonly args?: Json };
}

export interface GeminiUsage {
  readonly promptTokenCount?: number;
  readonly candidatesTokenCount?: number;
  readonly thoughtsTokenCount?: number;
  readonly toolUsePromptTokenCount?: number;
  readonly cachedContentTokenCount?: number;
  /** Counts by modality, e.g. IMAGE. */
  readonly promptTokensDetails?: unknown;
  readonly candidatesTokensDetails?: unknown;
}
