import type { TaskDefinition } from '../../evaluation/work/work.ts';
import type { TaskBody } from './schemas.ts';

export const taskIn = (body: TaskBody): TaskDefinition =>
  body.task === 'translation'
    ? { task: body.task, sourceLanguage: body.source_language, targetLanguage: body.target_language }
    : { task: body.task };
