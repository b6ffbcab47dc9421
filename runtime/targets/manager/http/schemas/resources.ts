import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { listOrNull, metaObject, nextCursor, optionalText, struct } from './struct.ts';

const description = optionalText('What it is.');
const mimeType = optionalText('Its media type.');

const resource = closed('Resource', {
  uri: Type.String(),
  name: Type.String(),
  description,
  mimeType,
  _meta: metaObject,
});

export const resourcesBody = struct('Resources', { resources: listOrNull(resource), nextCursor });

const resourceTemplate = closed('ResourceTemplate', {
  uriTemplate: Type.String({ description: 'A URI template after RFC 6570.' }),
  name: Type.String(),
  description,
  mimeType,
  _meta: metaObject,
});

export const resourceTemplatesBody = struct('ResourceTemplates', {
  templates: listOrNull(resourceTemplate),
  nextCursor,
});

const resourceContent = closed('ResourceContent', {
  uri: Type.String(),
  mimeType,
  text: optionalText('The content, if it is text.'),
  blob: optionalText('The content in base64, if it is not text.'),
  _meta: metaObject,
});

export const resourceContents = listOrNull(resourceContent);
