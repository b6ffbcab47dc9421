import type { ShapeOfParams } from '../../shapes/shape.ts';
import { compact } from './compact.ts';

export const resourceView = ({ uri, name, description, mimeType, _meta }: ShapeOfParams): ShapeOfParams => ({
  uri,
  name: name ?? uri,
  ...compact({ description, mimeType, _meta }),
});

export const templateView = ({
  uriTemplate,
  name,
  description,
  mimeType,
  _meta,
}: ShapeOfParams): ShapeOfParams => ({
  uriTemplate,
  name: name ?? uriTemplate,
  ...compact({ description, mimeType, _meta }),
});

/** Converts resource contents. Unlike other members, an empty text is kept, because it is the content. */
export const contentView = ({ uri, mimeType, text, blob, _meta }: ShapeOfParams): ShapeOfParams => ({
  uri,
  ...compact({ mimeType }),
  ...(typeof text === 'string' ? { text } : {}),
  ...(typeof blob === 'string' ? { blob } : {}),
  ...compact({ _meta }),
});

export function serverPromptView({
  name,
  description,
  arguments: parameters,
  _meta,
}: ShapeOfParams): ShapeOfParams {
  const args = Array.isArray(parameters) ? parameters.map(argumentView) : [];
  return { name, ...compact({ description, arguments: args, _meta }) };
}

const argumentView = ({ name, description, required }: ShapeOfParams): ShapeOfParams => ({
  name,
  ...compact({ description, required: required === true || undefined }),
});

export function generatedPromptView({ description, messages }: ShapeOfParams) {
  const list: readonly ShapeOfParams[] = Array.isArray(messages) ? messages : [];
  return {
    ...compact({ description: typeof description === 'string' ? description : undefined }),
    messages: list.map(({ role, content }) => ({ role, content })),
  };
}
