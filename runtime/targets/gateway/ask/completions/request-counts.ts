import type { Json } from '../shapes/chat.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import type { CountedPrompt, TokenCounter } from '../tokens/token-counter.ts';
import type { EndpointRules } from './endpoints/endpoint.ts';

/** Estimated tokens of a request and its answer, for each model that can answer. */
export interface RequestCounts {
  /** The most that one of the models counts. */
  readonly maxPrompt: number;
  readonly prompt: (model: string) => number;
  readonly output: (model: string, summary: AnswerSummary) => number;
  /** Takes what the provider of a model has reported, for later estimates. */
  readonly learn: (model: string, reported: number) => void;
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
  const maxPrompt = Math.max(...prompts.values());
  return {
    maxPrompt,
    prompt: (model) => prompts.get(model) ?? maxPrompt,
    output: (model, { outputText, outputLength }) => counter.output(model, outputText, outputLength),
    learn(model, reported) {
      const prompt = counted.get(model);
      if (prompt) counter.learn(model, prompt, reported);
    },
  };
}
