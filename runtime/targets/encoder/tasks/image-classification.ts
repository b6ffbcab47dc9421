import { sequenceClassificationTask } from './sequence-classification.ts';

/** The scores of an image have the form of those of a text. */
export const imageClassificationTask = sequenceClassificationTask;
