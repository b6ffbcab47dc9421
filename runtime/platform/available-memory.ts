import { totalmem } from 'node:os';

/** Memory that this process may use in bytes: that of the machine, or the limit of its container. */
export const availableMemory = (): number => Math.min(process.constrainedMemory() || Infinity, totalmem());
