import type { ProviderAdapter } from '../provider.ts';
import { openAiModels } from '../openai/models.ts';

export const encoderModels: ProviderAdapter['models'] = { ...openAiModels, path: '/v1/models' };
