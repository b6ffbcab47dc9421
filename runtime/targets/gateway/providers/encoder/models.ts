import type { ProviderAdapter } from '../api.ts';
import { openAiModels } from '../openai/models.ts';

export const encoderModels: ProviderAdapter['models'] = { ...openAiModels, path: '/v1/models' };
