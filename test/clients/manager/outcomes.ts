/** The outcomes of malformed messages in a client. */
export interface Outcomes {
  readonly client: string;
  readonly version: string;
  readonly target: 'server' | 'manager';
  /** Results that the client returned. */
  readonly returned: number;
  /** Results that became an error with a reason, which a caller can handle. */
  readonly errors: number;
  /** Results on which the client itself failed: a validation error, no response, or no reason. */
  readonly failed: number;
  /** Lists with the valid tool. */
  readonly lists: number;
  /** Lists that failed because of the malformed tool. */
  readonly lostLists: number;
  /** Examples of failures. */
  readonly examples: readonly string[];
}

/** The addresses and requests for one client. */
export interface FuzzTargets {
  readonly results: string;
  readonly tools: readonly string[];
  readonly answers: readonly unknown[];
}

export type Ending = 'returned' | 'errors' | 'failed';

/** Counts outcomes and keeps at most `MAX_EXAMPLES` failures. */
export async function countOutcomes(
  { answers, tools }: FuzzTargets,
  {
    call,
    listsGood,
  }: {
    readonly call: (answer: unknown) => Promise<{ readonly ending: Ending; readonly why?: string }>;
    readonly listsGood: (url: string) => Promise<boolean>;
  },
): Promise<Omit<Outcomes, 'client' | 'version' | 'target'>> {
  const counts = { returned: 0, errors: 0, failed: 0 };
  const examples: string[] = [];
  for (const answer of answers) {
    const { ending, why } = await call(answer);
    counts[ending] += 1;
    if (ending === 'failed' && examples.length < MAX_EXAMPLES) {
      examples.push(`${JSON.stringify(answer).slice(0, 120)}: ${why?.slice(0, 200)}`);
    }
  }
  let lists = 0;
  for (const url of tools) if (await listsGood(url).catch(() => false)) lists += 1;
  return { ...counts, lists, lostLists: tools.length - lists, examples };
}

const MAX_EXAMPLES = 3;
