import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { optionalText, struct } from './struct.ts';

const foundTool = closed('FoundTool', {
  server: Type.String(),
  name: Type.String({ description: 'Name of the tool on the server.' }),
  title: optionalText('Display name of the tool.'),
  description: Type.String({ description: 'Description of the tool.' }),
});

export const foundToolsBody = struct('FoundTools', {
  tools: Type.Array(foundTool, { description: 'Matching tools, best matches first.' }),
});
