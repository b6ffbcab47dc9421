import type { ReservationRow } from './schema.ts';

/** Used instead of a process ID: the reservation belongs to no process, and is kept when processes end. */
export const LASTING = 'lasting';

export const isLasting = ({ process_id: process }: ReservationRow): boolean => process === LASTING;
