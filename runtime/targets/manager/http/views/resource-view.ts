import type { Params } from '../../shapes/shape.ts';
import { compact } from './compact.ts';

export const resourceView = ({ uri, name, description, mimeType, _meta }: Params): Params => ({
  uri,
  name: name ?? uri,
  ...compact({ description, mimeType, _meta }),
});

export const templateView = ({ uriTemplate, name, description, mimeType, _meta }: Params): Params => ({
  uriTemplate,
  name: name ?? uriTemplate,
  ...compact({ description, mimeType, _meta }),
});

/** Converts contents of a resource. Unlike other members, an empty text is kept, because it is the content. */
export const contentView = ({ uri, mimeType, text, blob, _meta }: Params): Params => ({
  uri,
  ...compact({ mimeType }),
  ...(typeof text === 'string' ? { text } : {}),
  ...(typeof blob === 'string' ? { blob } : {}),
  ...compact({ _meta }),
});

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
