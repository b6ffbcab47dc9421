/** Applies to sentences on pages and in messages. In comments and test names, a noun phrase such as "What a guard needs." is clear. */
const FOR_SENTENCES = 'the noun as the subject';

/** Words that non-native readers have to translate first, and the standard terms to use instead. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwho(?:so)?ever\b/i, 'the noun: client, caller, request'],
  [/\b(?:some|no|any|every)body\b/i, 'the noun: client, caller, user'],
  [/(?:^|[.:;] )What (?!if\b)[^?|]*[.;]/, FOR_SENTENCES],
  [/\b(?:tells?|told|says|said)\b/i, 'reports, returns, logs, prints, states'],
  [/\banew\b/i, 'restart, reset, retry'],
  [/\bmade if\b|\bmakes? (?:a|an|the) (?:key|file|database|user)\b/i, 'create, created if missing'],
  [/\bat once\b/i, 'concurrently, in parallel, together, immediately'],
  [/\bgo(?:es)? with\b|\bbeside\b/i, 'with, next to, in addition to'],
  [/\bhears?\b|\bheard\b/i, 'receives, is notified'],
  [/\b(?:keeps?|kept) (?:\w+ )?out\b/i, 'refuses, excludes'],
  [/\b(?:sticks?|stuck) out\b/i, 'is wider than, overflows'],
  [/\bwhat(?:’s|'s| is| was) wrong\b/i, 'the problem, the error'],
  [
    /\b(?:out of the box|under the hood|rule of thumb|in a nutshell|by and large|on the fly|silver bullet|for good|in vain|boils? down|comes? down to|(?:turns?|turned) out|(?:ends?|ended) up|gets? rid of|figures? out|(?:breaks?|broke) off|(?:hangs?|hung) up|to the letter)\b/i,
    'the literal meaning, not an idiom',
  ],
  [
    /(?<!there )\b(?:is|are) no (?!longer\b|more\b)|\b(?:is|are) not one\b(?! of\b)/i,
    'must be, is not a, is invalid',
  ],
  [
    /\b\w*(?:behaviour|colour|favour|neighbour|labelled|modelled)\w*\b|\b(?!mise\b|promis|ris|rais|prais|aris|surpris|compris|exercis|revis|supervis|advis|precis|devis|improvis|concis|premis|excis|franchis|otherwis|pairwis|likewis|max_ris)\w+is(?:e|es|ed|ing|ation|ations)\b/i,
    'American spelling',
  ],
];

/** Words with British-looking endings that are also American. */
const NOT_BRITISH =
  /^(?:noise|wise|clockwise|advertise|enterprise|expertise|merchandise|paradise|promise[sd]?|raise[sd]?|disguise|likewise|otherwise|pairwise|precise|revise[sd]?)$/i;

export interface Finding {
  readonly found: string;
  readonly instead: string;
}

/** The words to avoid in a comment or test name. */
export const findWordsInComment = (text: string): Finding[] =>
  findWords(text).filter(({ instead }) => instead !== FOR_SENTENCES);

/** The words to avoid in a text. */
export function findWords(text: string): Finding[] {
  return REPLACEMENTS.flatMap(([pattern, instead]) =>
    [...text.matchAll(new RegExp(pattern, `${pattern.flags}gm`))]
      .map(([found]) => ({ found: found.trim(), instead }))
      .filter(({ found }) => !NOT_BRITISH.test(found)),
  );
}
