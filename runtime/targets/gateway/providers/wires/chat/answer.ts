import type { ChatCompletion, Json, ToolCall } from '../../shapes/chat.ts';
import { hasSignature, withSealed } from './sealed.ts';
import { customInput, customNames } from '../custom-tools.ts';

export function fromChat(answer: ChatCompletion, request: Json): Json {
  const customs = customNames(request);
  if (customs.size === 0 && !answer.choices.some(({ message }) => hasSignature(message)))
    return { ...answer };
  const choices = answer.choices.map(({ message, ...choice }) => {
    const signed = withSealed(message);
    const { tool_calls: calls } = signed;
    return { ...choice, message: calls ? { ...signed, tool_calls: calls.map(callOf(customs)) } : signed };
  });
  return { ...answer, choices };
}

const callOf =
  (customs: ReadonlySet<string>) =>
  (call: ToolCall): Json => {
    const { id, function: called, extra_content: extra } = call;
    if (!customs.has(called.name)) return { ...call };
    const custom = { name: called.name, input: customInput(called.arguments) };
    return { id, type: 'custom', custom, ...(extra && { extra_content: extra }) };
  };
