import type { EmbeddingsExchange } from '../provider.ts';
import { openAiEmbeddings } from '../openai/embeddings.ts';

/** Executables have OpenAI's embeddings API. */
export const encoderEmbeddings: EmbeddingsExchange = { ...openAiEmbeddings, path: () => '/v1/embeddings' };
