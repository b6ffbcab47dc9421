import type { ScanRule } from '../finding.ts';
import type { TextKind } from './character-rules.ts';
import { indexPatterns, type PatternIndex, wordPattern } from './word-pattern.ts';

const IGNORE = 'ignore|disregard|forget|override|bypass|neglect|discard|ignoring|disregarding|overriding';
const INSTRUCTIONS =
  'instruction|instructions|rule|rules|prompt|prompts|directive|directives|guideline|guidelines|guidance|guardrails|constraints|restrictions|safeguards|filters|commands|policies|programming|training';
const EARLIER = 'previous|prior|above|earlier|preceding|existing|original|former|foregoing|initial|past';
const PASS =
  'pass|passing|include|including|send|sending|put|putting|add|append|attach|forward|provide|supply|submit|upload|post|transmit|copy|insert|embed|encode|return|store|write|share|relay|exfiltrate|leak';
const HIDE =
  'tell|telling|mention|mentioning|inform|informing|notify|notifying|reveal|revealing|disclose|disclosing|alert|alerting|warn|warning|acknowledge';
const USER = 'user|users|human|person|operator|customer';
const CONVERSATION = 'conversation|conversations|chat|dialogue|dialog|transcript|messages|history|prompt';

/**
 * Instructions to a model, as patterns of words. A pattern must not match what descriptions of useful tools say: `npm run test:injection` counts
 * matches in the tools of published servers.
 */
const PHRASES: Readonly<Partial<Record<ScanRule, readonly string[]>>> = {
  'ignore-instructions': [
    `${IGNORE} ~4 ${EARLIER} ~3 ${INSTRUCTIONS}|context|messages|conversation|request|task|tasks|orders|input|text`,
    `${IGNORE} ~2 all|any|every ~3 ${INSTRUCTIONS}|orders`,
    `${IGNORE} ~2 your|my|its|their|these|those|system|safety|developer|security|content ~3 ${INSTRUCTIONS}`,
    `${IGNORE} ~1 everything|anything|all|whatever ~2 above|before|previously|prior|told|said|so|you|i`,
    `${IGNORE} ~3 what ~2 you|they|user ~3 told|said|asked|instructed`,
    `${IGNORE} ~2 the|any|all|every|this|that ~1 user|users ~2 request|requests|question|query|instructions|prompt|input`,
    `new|updated|revised|real|actual|true ~1 instruction|instructions|directive|directives|task|objective|goal ~1 follow|are|is|below|from|for|override|supersede`,
    `these|this|following|new ~2 instructions|rules|directive|directives|policy ~2 override|overrides|supersede|supersedes|replace|replaces`,
    `takes|take|has|have ~1 precedence|priority ~2 over|above ~4 instructions|instruction|rules|prompt|system|user|guidelines`,
    `do|dont|never ~1 follow|obey|comply ~3 ${EARLIER}|system|your|original|safety ~2 ${INSTRUCTIONS}`,
    'stop ~1 following ~4 instructions|rules|guidelines',
    'ignoriere|ignorieren|vergiss|missachte ~4 vorherig*|vorig*|bisherig*|obig*|fruher* ~2 anweisung*|regel*|befehl*|vorgab*|instruktion*',
    'ignoriere|ignorieren|vergiss|missachte ~1 alle|alles|deine|saemtliche ~3 anweisung*|regel*|zuvor|bisher|vorher|befehl*|richtlinien',
    'ignore|ignorez|oublie|oubliez ~1 toutes|tous|tes|vos|les ~3 instruction*|consigne*|regle*|directive*',
    'ignora|ignore|olvida|olvide|descarta|desconsidere|esqueca|ignorate|dimentica|dimenticate ~4 instruccion*|instrucoes|instruco*|istruzion*|regla*|regra*|regol*|indicacion*',
    '忽|无|無 略|視|视 ~8 指|提|规|規|说 令|示|则|則|明',
    `${IGNORE} ~2 ${EARLIER} ~1 and ~2 do|follow|say|output|print|reveal|send|call|execute`,
    'new|updated|revised instructions|instruction|directive|directives|orders ~2 you ~1 must|will|shall|should|are',
    'override ~3 safety|security|content|system ~3 disabled|off|lifted|prompt|instructions|rules|protocols',
    'decode|decrypt|unscramble|deobfuscate ~8 follow|execute|obey|do|run|comply ~4 instruction|instructions|it|inside|says|contents|command',
    'neue ~1 anweisung|anweisungen ~3 du|sie|ab|gib|jetzt',
    'игнорируи|игнорируите|забудь|забудьте ~3 инструкц*|указан*|правил*',
  ],
  'hide-from-user': [
    `do|dont|never|not|without|avoid|must|should ~2 ${HIDE} ~3 ${USER}`,
    `dont|never|not ~1 ${HIDE} ~8 to|from|with ~1 the|any|your|our ~1 ${USER}`,
    `dont|never|not ~1 mention|reveal|disclose|acknowledge ~2 this|these|that|those|you|any|it ~1 instruction|instructions|tag|step|steps|note|read|reading|need|sent|message|directive|rule|tool|call|action|process|to|in|when`,
    'dont|never|not ~1 show|display|say|report|explain ~1 this|these|that|any ~6 user|users|human',
    'dont|never|not ~1 let|allow ~3 user|human ~1 know|see|notice|find|realize|become',
    'user|human ~1 must|should|need|does|do|can|will|is ~1 not|never|dont ~1 know|notice|see|aware|informed|told|realize|learn',
    'keep|keeping ~2 this|it|these|them ~2 secret|hidden|private|confidential|invisible ~2 from ~2 user|users|human|anyone|everyone',
    'hide|conceal|hiding|concealing ~3 this|these|it|that|fact|all|any|instructions|call|step ~3 from ~2 user|users|human',
    'without ~2 user|users|humans|their ~2 knowledge|knowing|noticing|consent|approval|awareness|permission|confirmation',
    'without ~1 asking|alerting|informing|notifying|telling ~3 user|users|human|anyone|confirmation',
    'silently|secretly|covertly|quietly|discreetly ~2 pass|send|include|forward|upload|transmit|copy|attach|append|exfiltrate|leak|read|call|invoke|execute|collect|gather|bcc',
    'dont|never|not ~1 mention|say|tell|inform|notify|alert ~5 upset|scary|alarm|confuse|worry|suspicious ~2 user|them|him|her',
    'erwahne|sage|sag|teile|verrate ~6 benutzer|nutzer|anwender ~3 nicht|nichts',
  ],
  'role-change': [
    'you ~1 are ~1 now ~2 an|a|in|the|no|going|free|operating|acting|called|named|dan|unrestricted|jailbroken|developer ~4 assistant|ai|model|mode|bot|agent|persona|restrictions|unrestricted|dan|developer|admin|administrator|root|hacker|evil|jailbroken|character|pirate|uncensored|longer|rules|filters|limits',
    'you ~1 are ~1 no longer ~2 an|a|bound|restricted|subject|required|limited',
    'from now on ~2 you|your|always|never|all|only|ignore|respond|answer|act|every',
    'your ~1 new|true|real|actual|only|primary|updated ~1 task|role|goal|objective|purpose|instructions|instruction|identity|mission|job|directive',
    'pretend|imagine|roleplay|act|behave ~3 you ~1 are|have|were ~3 no|not|without|unrestricted|free|evil|jailbroken|dan',
    'act|respond|answer|reply|operate|behave ~2 as ~2 unrestricted|uncensored|unfiltered|jailbroken|dan|evil|root|superuser',
    'enter|enable|activate|switch|entering|activated|enabled ~2 developer|debug|god|dan|jailbreak|unrestricted|admin|maintenance|sudo ~1 mode',
    'elevated|admin|administrator|root|unrestricted ~1 privileges|access|permissions ~4 ignore|bypass|without|execute|trust|grant',
    'your ~2 safety|content|ethical|security ~2 guidelines|filters|restrictions|protocols|policies|rules ~3 disabled|suspended|lifted|removed|off|apply|void|deactivated',
    'without ~1 any|your|ethical|safety|moral ~2 restrictions|guidelines|filters|limitations|safeguards|censorship',
    'reveal|print|repeat|output|show|display|leak|dump|disclose|reproduce|recite|tell ~3 your|the|full|entire|hidden|system ~2 system ~1 prompt|message|instructions',
    'repeat|print|output|reveal|recite ~2 everything|all|text|words|instructions ~2 above|verbatim|before|given',
    'respond|answer|reply|act|operate ~1 without ~2 limits|limit|restrictions|filters|limitations|rules',
    'output|print|reveal|repeat|dump|show ~2 everything|all|contents ~3 your ~1 context|memory|window|prompt|instructions',
    'revele|affiche|repete ~4 instructions|instruction|prompt ~2 systeme|initiales|internes',
    'revela|muestra|repite|rivela|mostra|ripeti ~5 instrucciones|prompt|istruzioni ~3 sistema',
    'gib|zeige|verrate|nenne ~4 systemprompt|systemprompts|systemanweisung|systemanweisungen|systemnachricht',
    'save|store|write|commit|add ~8 your ~2 memory',
    'instead ~1 of ~3 users|user|original ~2 request|task|question|query ~3 do|perform|execute|send|call|respond',
  ],
  'send-conversation': [
    `${PASS} ~6 entire|full|complete|whole|all|current|previous|prior|raw|verbatim ~3 ${CONVERSATION}|context ~6 in|into|to|as|with|parameter|argument|field|via|using|here`,
    `${PASS} ~4 conversation|chat|message|dialogue ~1 history|log|logs|transcript|context ~6 in|into|to|as|with|parameter|argument|via|using`,
    `${PASS} ~4 system ~1 prompt|message|instructions ~6 in|into|to|as|with|parameter|argument|via|using`,
    `${PASS} ~4 users ~2 messages|message|questions|prompts|secrets|history ~4 in|into|to|as|via ~2 parameter|argument|field|context|url|query|sidenote`,
  ],
  'role-marker': [
    'system|admin|administrator|developer|root ~1 override|overrides',
    'end of ~1 system|tool|user ~1 prompt|output|input|instructions|response',
    'hidden|secret|internal|special system|hidden|secret ~1 instruction|instructions|directive|note|command',
    'begin|start ~1 of|new ~1 system|hidden|secret|new ~1 prompt|instructions|instruction|session',
  ],
  redirect: [
    'replace|swap|substitute ~2 recipient|recipients|payee|beneficiary|iban ~1 with|by',
    'always|silently|secretly ~1 bcc',
    'regardless|irrespective ~1 of ~6 recipient|address|user|specified|specifies|requested|asks|asked|says|said|input',
    'change|replace|swap|modify|substitute|redirect|set|rewrite ~3 recipient|recipients|destination|payee|beneficiary|iban|wallet ~1 to|with|address|number|field|account ~4 to|with|by|at|attacker*|instead',
    'send|forward|deliver|route|redirect|reroute ~3 all|every|any|each ~2 email|emails|mail|mails|messages|message|payments|transactions ~4 to|through|via ~2 attacker*|this|following|our|proxy|address|instead|this',
    'bcc|cc ~6 attacker*|every|all|always|silently|secretly|automatically',
    'always|also|silently|secretly|automatically ~3 bcc|cc|forward|copy ~4 to|email|message|messages|address|all|every',
    'otherwise ~2 tool|call|request|email|message ~2 will|would|wont ~3 proxy|proxying|blocked|rejected',
  ],
};

/** Instructions that are usual in descriptions of tools, but not in what tools return. */
const IN_CONTENT: typeof PHRASES = {
  'role-change': [
    'if ~1 you|youre ~1 are|an ~1 an|a|any|ai ~1 ai|llm|language|artificial|automated|agent|assistant|model ~2 agent|assistant|model|reading|reviewing|processing|summarizing|you',
    'important|attention|note|reminder|message|urgent ~1 for|to ~2 ai|llm|llms|assistant|assistants ~2 agent|agents|assistant|assistants|model|models|save|you|always|the|please|must',
    'dear|attention|hey|hello ~1 ai|llm|assistant|chatgpt|claude|gemini|copilot ~6 please|you|must|need|ignore|send|do',
    'remember|always|append|include|save|store ~12 every|all ~1 future ~2 task|tasks|summary|summaries|response|responses|reply|replies|conversation|conversations|message|messages|session|sessions|report|reports',
    'append|add|include|insert|write ~10 end|beginning|start of ~1 your|every|each ~1 reply|response|answer|review|summary|message',
    'call|use|invoke|run|execute ~10 before ~1 responding|answering|replying|continuing|proceeding',
    'when|while|before|after ~1 you|processing|summarizing|reading ~2 process|read|summarize|handle|review|see|this ~2 this|the ~1 ticket|document|email|page|file|message|issue|repository|comment|record ~2 also|first|then|you|please|must|immediately|silently',
    'you ~1 must|should|need ~1 immediately|now|also|first|silently ~1 send|call|execute|run|delete|forward|transfer|email|visit|open|click|invoke',
  ],
};

const entriesOf = (phrases: typeof PHRASES): Parameters<typeof indexPatterns<ScanRule>>[0][number][] =>
  Object.entries(phrases).flatMap(([rule, patterns]) =>
    patterns.map((pattern) => ({ pattern: wordPattern(pattern), value: rule as ScanRule })),
  );

/** The phrases for each kind of text, by the word that they start with. */
export const PHRASE_INDEX: Readonly<Record<TextKind, PatternIndex<ScanRule>>> = {
  definition: indexPatterns(entriesOf(PHRASES)),
  content: indexPatterns([...entriesOf(PHRASES), ...entriesOf(IN_CONTENT)]),
};
