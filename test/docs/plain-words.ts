/** Words that readers who are not native speakers have to translate first, and the words of the trade to use instead. */
const REPLACEMENTS: readonly (readonly [pattern: RegExp, instead: string])[] = [
  [/\bwho(?:so)?ever\b/i, 'the noun: client, caller, request'],
  [/\b(?:some|no|any|every)body\b/i, 'the noun: client, caller, user'],
  [/(?:^|[.:;] )What (?!if\b)[^?|]*[.;]/, 'the noun as the subject'],
  [/\b(?:tells?|told|says|said)\b/i, 'reports, returns, logs, prints, states'],
  [/\banew\b/i, 'restart, reset, retry'],
  [/\bmade if\b|\bmakes? (?:a|an|the) (?:key|file|database|user)\b/i, 'create, created if missing'],
  [/\bat once\b/i, 'concurrently, in parallel, together, immediately'],
  [/\bgo(?:es)? with\b|\bbeside\b/i, 'with, next to, in addition to'],
  [
    /(?<!there )\b(?:is|are) no (?!longer\b|more\b)|\b(?:is|are) not one\b(?! of\b)/i,
    'must be, is not a, is invalid',
  ],
  [
    /\b\w*(?:behaviour|colour|favour|neighbour|labelled|modelled)\w*\b|\b(?!promis|ris|rais|aris|surpris|compris|exercis|revis|supervis|advis|precis|devis|improvis|concis|premis|excis|franchis|otherwis|likewis)\w+is(?:e|es|ed|ing|ation|ations)\b/i,
    'American spelling',
  ],
];

/** Words with the British endings that are American as well. */
const NOT_BRITISH =
  /^(?:noise|wise|clockwise|advertise|enterprise|expertise|merchandise|paradise|promise[sd]?|raise[sd]?|disguise|likewise|otherwise|precise|revise[sd]?)$/i;

export interface Finding {
  readonly found: string;
  readonly instead: string;
}

/** The words to avoid that a text contains. */
export function findWords(text: string): Finding[] {
  return REPLACEMENTS.flatMap(([pattern, instead]) =>
    [...text.matchAll(new RegExp(pattern, `${pattern.flags}gm`))]
      .map(([found]) => ({ found: found.trim(), instead }))
      .filter(({ found }) => !NOT_BRITISH.test(found)),
  );
}
