import { Type } from 'typebox';
import { anyObject, closed } from '../../../../serve/http/schemas.ts';
import { pageSchema } from '../http/page-schemas.ts';

export const taskModel = closed('TaskModel', {
  display_name: Type.String(),
  model: Type.String({ description: 'As a workflow names it.' }),
  provider: Type.String({ description: 'As a workflow names it.' }),
  website_url: Type.String({ description: 'Empty: providers do not tell.' }),
  description: Type.String(),
  requirements: Type.Array(Type.String(), { description: 'Empty: the gateway has the keys.' }),
  tasks: Type.Array(anyObject('The name of a task, with an empty object.')),
});

export const taskModels = pageSchema('TaskModels', taskModel);
