import { Type } from 'typebox';
import { closed, textMap } from '../../../../serve/http/schemas.ts';
import { listOrNull, metaObject, nextCursor, optionalText, struct } from './struct.ts';

const promptArgument = closed('PromptArgument', {
  name: Type.String(),
  description: optionalText('What to fill in.'),
  required: Type.Optional(Type.Boolean({ description: 'Whether the prompt needs it.' })),
});

const prompt = closed('Prompt', {
  name: Type.String(),
  description: optionalText('What the prompt is for.'),
  arguments: Type.Optional(listOrNull(promptArgument, 'What can be filled in.')),
  _meta: metaObject,
});

export const promptsBody = struct('Prompts', { prompts: listOrNull(prompt), nextCursor });

export const promptArguments = struct('PromptGenerateArguments', {
  arguments: Type.Optional(
    textMap({ title: 'an object of texts', description: 'What to fill in, by the names of the arguments.' }),
  ),
});

const promptMessage = closed('PromptMessage', {
  role: Type.String({ description: 'Who speaks: `user` or `assistant`.' }),
  content: Type.Unsafe({ description: 'A content block of MCP, as the server sent it.' }),
});

export const generatedPromptBody = struct('GeneratePromptResponseBody', {
  description: optionalText('What the prompt is for.'),
  messages: listOrNull(promptMessage),
});
