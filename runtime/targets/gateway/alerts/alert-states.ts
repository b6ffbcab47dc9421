/** The states of an alert: not sent yet, sent, or given up. */
export const ALERT_STATES = ['pending', 'sent', 'failed'] as const;
export type AlertState = (typeof ALERT_STATES)[number];
