import { join } from 'node:path';
import { inject } from 'vitest';

export const assetsOf = (model: string): string => join(inject('built'), `${model}.assets`);
