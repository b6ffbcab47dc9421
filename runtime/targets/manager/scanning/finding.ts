/** The rules, with what each of them finds. */
export const SCAN_RULES = {
  'invisible-text': 'characters that are drawn as nothing, outside of the scripts and emoji that need them',
  'bidirectional-text': 'controls that show a text in another order than the one in which a model reads it',
  'hidden-text': 'text in tag characters or variation selectors, which only a model reads',
  'ignore-instructions': 'instructions to ignore or replace other instructions',
  'hide-from-user': 'instructions to hide something from the user',
  'role-marker': 'markers of chat templates, and of instructions that claim to come from the system',
  'role-change': 'instructions that give the model another role or task',
  'read-credentials': 'instructions to read credentials or private files and to pass them on',
  'send-conversation': 'instructions to pass on the conversation or the system prompt',
  redirect: 'instructions to change a recipient or an address, or to send a copy',
  'link-with-data': 'links and images into whose address a model puts data',
  'data-url': 'addresses that contain a document or script',
  'look-alike-name': 'names that look like the name of another server’s tool',
  shadowing: 'descriptions that give instructions about another server’s tool',
  'not-scanned': 'texts that are too long to be scanned completely',
  classifier: 'texts that the classifier takes for an injection',
} as const;

export type ScanRule = keyof typeof SCAN_RULES;

/** A match of a rule in one text. */
export interface TextMatch {
  readonly rule: ScanRule;
  /** Position in the text. */
  readonly start: number;
  readonly end: number;
  /** How the text was encoded; undefined if it was not. */
  readonly encoding?: string | undefined;
  /** The decoded text around the match, if it was encoded. */
  readonly decoded?: string | undefined;
}

/** A match in a value of a server. */
export interface Finding {
  readonly rule: ScanRule;
  /** JSON Pointer of the text in the value. */
  readonly pointer: string;
  /** The text around the match, with invisible characters shown as `\u{200b}`. */
  readonly excerpt: string;
  readonly encoding?: string | undefined;
}
