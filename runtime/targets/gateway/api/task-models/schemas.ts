import { Type } from 'typebox';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { models } from '../models/schemas.ts';
import { pageSchema } from '../http/fields.ts';

export const taskModel = closed('TaskModel', {
  display_name: Type.String(),
  model: Type.String({ description: 'Value for the field of the same name in a workflow.' }),
  provider: Type.String({ description: 'Value for the field of the same name in a workflow.' }),
  website_url: Type.String({ description: 'Always empty: providers do not report it.' }),
  description: Type.String(),
  requirements: Type.Array(Type.String(), { description: 'Always empty: the gateway has the keys.' }),
  tasks: Type.Array(
    anyObject('An object whose key is the name of a task, with an empty object as its value.'),
  ),
});

/** The list of workflows. Clients of Otari get the list of OpenAI's API in other members. */
export const taskModels = closed('TaskModels', {
  ...pageSchema('TaskModelPage', taskModel).properties,
  ...Type.Partial(models).properties,
});
