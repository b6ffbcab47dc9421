import type { EmbeddingsExchange } from '../provider.ts';
import { openAiEmbeddings } from '../openai/embeddings.ts';

/** Executables speak OpenAI's wire here. */
export const encoderEmbeddings: EmbeddingsExchange = { ...openAiEmbeddings, path: () => '/v1/embeddings' };
