import { inputError } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { ChatMessage } from '../../providers/shapes/chat.ts';
import type { GuardrailRule, Guardrails } from '../../requests/guardrails/guardrail.ts';
import type { LoggedExample } from './logged-example.ts';

/** Removes personal data from an example; undefined if that failed, so that nothing must be stored. */
export type RedactExample = (
  example: LoggedExample,
  signal: AbortSignal,
) => Promise<LoggedExample | undefined>;

/**
 * Redaction with guardrail profiles that mask. All texts of an example are masked together, so that a value
 * has the same placeholder in the input, the output and the feedback. Throws an InputError for a profile that
 * does not mask.
 */
export function createRedaction(guardrails: Guardrails, profiles: readonly string[]): RedactExample {
  const masking = guardrails.masking();
  const unknown = profiles.find((name) => !masking.includes(name));
  if (unknown !== undefined) {
    const known = masking.length === 0 ? 'None are configured.' : `Configured: ${masking.join(', ')}.`;
    throw inputError(
      `${JSON.stringify(unknown)} is not a guardrail with \`action: mask\`${didYouMean(unknown, masking) || '.'} ${known}`,
    );
  }
  const rules = profiles.map((profile): GuardrailRule => ({
    profile,
    mode: 'block',
    // An example that was not checked must not be stored.
    onUnavailable: 'block',
    on: ['input'],
    isRestored: false,
  }));
  return async (example, signal) => {
    const texts = [
      example.answer,
      example.feedback.expectedOutput,
      example.feedback.text,
      example.feedback.label,
    ];
    const more = texts.map((content) => ({ role: 'assistant', content: content ?? '' }));
    const body = { messages: [...example.messages, ...more], tools: example.tools };
    const { blocked, masked } = await guardrails.checkInput(rules, body, {
      requestId: example.row.request_id,
      signal,
    });
    if (blocked) return undefined;
    if (!masked) return example;
    const { messages, tools } = masked.body;
    if (!Array.isArray(messages) || messages.length !== body.messages.length) return undefined;
    const all = messages as readonly ChatMessage[];
    const [answer, expectedOutput, text, label] = all.slice(-texts.length).map((one, at) => {
      if (texts[at] === null) return null;
      return isObject(one) && typeof one['content'] === 'string' ? one['content'] : null;
    });
    return {
      ...example,
      messages: all.slice(0, -texts.length),
      tools: Array.isArray(tools) ? tools : [],
      answer: answer ?? null,
      feedback: {
        ...example.feedback,
        expectedOutput: expectedOutput ?? null,
        text: text ?? null,
        label: label ?? null,
      },
    };
  };
}
