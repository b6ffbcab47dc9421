import { Type } from 'typebox';
import { closed, textMap } from '#serve/http/schemas.ts';
import { listOrNull, metaObject, nextCursor, optionalTextMember, struct } from './struct.ts';

const promptArgument = closed('PromptArgument', {
  name: Type.String(),
  description: optionalTextMember('Description of the argument.'),
  required: Type.Optional(Type.Boolean({ description: 'Whether the argument is required.' })),
});

export const promptMembers = {
  name: Type.String(),
  description: optionalTextMember('Description of the prompt.'),
  arguments: Type.Optional(listOrNull(promptArgument, 'Arguments of the prompt.')),
  _meta: metaObject,
};
const prompt = closed('Prompt', promptMembers);

export const promptsBody = struct('Prompts', { prompts: listOrNull(prompt), nextCursor });

export const promptArguments = struct('PromptGenerateArguments', {
  arguments: Type.Optional(
    textMap({ title: 'an object of strings', description: 'Values of the arguments by name.' }),
  ),
});

const promptMessage = closed('PromptMessage', {
  role: Type.String({ description: 'Role of the message: `user` or `assistant`.' }),
  content: Type.Unsafe({ description: 'MCP content block as the server returned it.' }),
});

export const generatedPromptBody = struct('GeneratePromptResponseBody', {
  description: optionalTextMember('Description of the prompt.'),
  messages: listOrNull(promptMessage),
});
