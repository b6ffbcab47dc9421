/** The result of one check. */
export interface Finding {
  readonly what: string;
  readonly state: 'ok' | 'note' | 'problem';
  readonly message: string;
  /** How to solve the problem. */
  readonly wayOut?: string | undefined;
}

export const ok = (what: string, message: string): Finding => ({ what, state: 'ok', message });
export const note = (what: string, message: string): Finding => ({ what, state: 'note', message });
export const problem = (what: string, message: string, wayOut?: string): Finding => ({
  what,
  state: 'problem',
  message,
  wayOut,
});
