import { imageEmbeddingTask } from './image-embedding.ts';

/** The vector of a text has the form of that of an image. */
export const imageTextEmbeddingTask = imageEmbeddingTask;
