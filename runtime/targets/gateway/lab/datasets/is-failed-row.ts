import type { Row } from './dataset.ts';

/** Whether a row that a job wrote has an error in place of an answer. */
export const isFailedRow = ({ error }: Row): boolean => typeof error === 'string';
