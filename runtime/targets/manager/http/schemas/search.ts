import { Type } from 'typebox';
import { closed } from '../../../../serve/http/schemas.ts';
import { optionalText, struct } from './struct.ts';

const foundTool = closed('FoundTool', {
  server: Type.String(),
  name: Type.String({ description: 'The tool’s name on that server.' }),
  title: optionalText('A name for people.'),
  description: Type.String({ description: 'What the tool does.' }),
});

export const foundToolsBody = struct('FoundTools', {
  tools: Type.Array(foundTool, { description: 'The best match first.' }),
});
