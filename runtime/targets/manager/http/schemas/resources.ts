import { Type } from 'typebox';
import { closed } from '#serve/http/schemas.ts';
import { listOrNull, metaObject, nextCursor, optionalTextMember, struct } from './struct.ts';

const mimeType = optionalTextMember('Media type of the resource.');
export const resourceMembers = {
  name: Type.String(),
  description: optionalTextMember('Description of the resource.'),
  mimeType,
  _meta: metaObject,
};

const resource = closed('Resource', { uri: Type.String(), ...resourceMembers });

export const resourcesBody = struct('Resources', { resources: listOrNull(resource), nextCursor });

const resourceTemplate = closed('ResourceTemplate', {
  uriTemplate: Type.String({ description: 'URI template (RFC 6570).' }),
  ...resourceMembers,
});

export const resourceTemplatesBody = struct('ResourceTemplates', {
  templates: listOrNull(resourceTemplate),
  nextCursor,
});

const resourceContent = closed('ResourceContent', {
  uri: Type.String(),
  mimeType,
  text: optionalTextMember('Contents of a text resource.'),
  blob: optionalTextMember('Contents of a binary resource in base64.'),
  _meta: metaObject,
});

export const resourceContents = listOrNull(resourceContent);
