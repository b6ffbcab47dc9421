import type { TaskDefinition } from '../work/api.ts';
import type { TaskBody } from './schemas/experiments.ts';

export const taskIn = (body: TaskBody): TaskDefinition =>
  body.task === 'translation'
    ? { task: body.task, sourceLanguage: body.source_language, targetLanguage: body.target_language }
    : { task: body.task };
