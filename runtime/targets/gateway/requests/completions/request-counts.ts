import type { Json } from '../../providers/shapes/chat.ts';
import type { AnswerSummary } from '../../providers/streams/stream.ts';
import type { CountedPrompt, TokenCounter } from '../tokens/token-counter.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';
import { greatest } from '#core/numbers/extremes.ts';

/** Estimated tokens of a request and its answer, for each model that can answer. */
export interface RequestCounts {
  /** The most that one of the models counts. */
  readonly maxPrompt: number;
  readonly prompt: (model: string) => number;
  /** The tokens of an answer: what the provider has counted, and an estimate of what it has not. */
  readonly completion: (model: string, summary: AnswerSummary) => number;
  /** Takes what the provider of a model has reported, for later estimates. */
  readonly learn: (model: string, summary: AnswerSummary) => void;
}

/** Counts the prompt of a request as each of these models does. */
export async function countRequest(
  counter: TokenCounter,
  rules: Pick<EndpointRules, 'promptTokens'>,
  body: Json,
  models: readonly string[],
  /** Tokens of a file that is not in the body. */
  inFile = 0,
): Promise<RequestCounts> {
  const loading = counter.loading(models);
  if (loading) await loading;
  const counted = new Map<string, CountedPrompt | undefined>();
  const prompts = new Map<string, number>();
  for (const model of models) {
    if (prompts.has(model)) continue;
    const count = (texts: Json): number => {
      const found = counter.prompt(model, texts);
      counted.set(model, found);
      return found.tokens;
    };
    prompts.set(model, rules.promptTokens(body, count) + inFile);
  }
  const maxPrompt = greatest(prompts.values());
  return {
    maxPrompt,
    prompt: (model) => prompts.get(model) ?? maxPrompt,
    completion: (model, summary) => completionOf(counter, model, summary),
    learn(model, { usage, countedLength, outputText, outputLength }) {
      const prompt = counted.get(model);
      const { promptTokens, completionTokens, reasoningTokens = 0 } = usage ?? {};
      if (prompt && promptTokens !== undefined) counter.learn(model, prompt, promptTokens);
      const isWhole = countedLength === undefined && outputText.length === outputLength;
      // Reasoning is not in the text, or only a summary of it.
      if (completionTokens !== undefined && isWhole && reasoningTokens === 0)
        counter.learnOutput(model, outputText, completionTokens);
    },
  };
}

/**
 * The tokens of an answer that can have been interrupted. What the provider has counted is exact; of the output after that, only the
 * text is known.
 */
function completionOf(
  counter: Pick<TokenCounter, 'output'>,
  model: string,
  { usage, countedLength, outputText, outputLength }: AnswerSummary,
): number {
  const { completionTokens: counted, reasoningTokens = 0 } = usage ?? {};
  if (counted === undefined) return counter.output(model, outputText, outputLength);
  if (countedLength === undefined) return counted;
  // Only the start of a long output is kept; the rest is taken to be like it.
  const text = outputText.slice(countedLength) || outputText;
  const rest = counter.output(model, text, outputLength - countedLength);
  // What was counted before any output is the first tokens of it, except the reasoning.
  return countedLength === 0 ? reasoningTokens + Math.max(counted - reasoningTokens, rest) : counted + rest;
}
