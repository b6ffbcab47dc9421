import { totalmem } from 'node:os';

/** Memory in bytes that this process can use: the machine's, or the limit of its container. */
export const availableMemory = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem());
