import type { Params } from '../../shapes/shape.ts';
import { compact } from './compact.ts';

export function promptView({ name, description, arguments: parameters, _meta }: Params): Params {
  const args = Array.isArray(parameters) ? parameters.map(argumentView) : [];
  return { name, ...compact({ description, arguments: args, _meta }) };
}

const argumentView = ({ name, description, required }: Params): Params => ({
  name,
  ...compact({ description, required: required === true || undefined }),
});

export function generatedPromptView({ description, messages }: Params) {
  const list: readonly Params[] = Array.isArray(messages) ? messages : [];
  return {
    ...compact({ description: typeof description === 'string' ? description : undefined }),
    messages: list.map(({ role, content }) => ({ role, content })),
  };
}
