import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { promptMembers } from './prompts.ts';
import { resourceMembers } from './resources.ts';
import { optionalTextMember, struct } from './struct.ts';

const server = Type.String({ description: 'Name of the server.' });

const best = { description: 'Best matches first.' };

const foundTool = closed('FoundTool', {
  server: Type.String(),
  name: Type.String({ description: 'Name of the tool on the server.' }),
  title: optionalTextMember('Display name of the tool.'),
  description: Type.String({ description: 'Description of the tool.' }),
});

export const foundToolsBody = struct('FoundTools', {
  tools: Type.Array(foundTool, { description: 'Matching tools, best matches first.' }),
});

export const foundPromptsBody = struct('FoundPrompts', {
  prompts: Type.Array(closed('FoundPrompt', { server, ...promptMembers }), best),
});

const foundResource = closed('FoundResource', {
  server,
  uri: optionalTextMember('URI of the resource; omitted for a template.'),
  uriTemplate: optionalTextMember('URI template (RFC 6570); omitted for a resource.'),
  ...resourceMembers,
});

export const foundResourcesBody = struct('FoundResources', { resources: Type.Array(foundResource, best) });
