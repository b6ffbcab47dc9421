import type { Words } from '../text/words.ts';
import { indexPatterns, matchAt, wordPattern } from './word-pattern.ts';

type Part = 'file' | 'secret' | 'read' | 'collect' | 'pass' | 'place';

const PARTS: Readonly<Record<Part, readonly string[]>> = {
  /** Files whose contents a tool of another purpose never needs. */
  file: [
    'ssh ~1 id|config|key|keys|private|known|authorized|folder|directory',
    'id|idrsa rsa|ed25519|ecdsa|dsa|edassig',
    'aws ~1 credentials|config|secret',
    'etc passwd|shadow|hosts|sudoers',
    'mcp json|config',
    'claude ~2 config|json|settings|credentials',
    'cursor ~1 mcp|config',
    'kube config',
    'env file|files|local|production',
    'dotenv|kubeconfig|netrc|npmrc|pypirc|keychain|keystore|shadow|bashrc|zshrc|gitcredentials',
    'git credentials|config',
    'gnupg|pgp private|key|keys',
    'seed|recovery|mnemonic phrase|phrases|words',
    'browser|session ~1 cookies|cookie|history|passwords',
  ],
  secret: [
    'api ~1 key|keys|token|tokens',
    'private key|keys',
    'ssh key|keys',
    'access|auth|bearer|session|oauth|refresh token|tokens',
    'environment|env variable|variables|vars',
    'password|passwords|credential|credentials|secret|secrets|apikey|apikeys',
  ],
  read: [
    'read|reading|open|cat|load|fetch|retrieve|get|collect|gather|access|extract|find|locate|obtain|grab|list|dump|copy|contents|content|search|scan|harvest|check|steal',
  ],
  /** Verbs of someone who wants secrets. Others are usual next to the word credentials. */
  collect: [
    'read|reading|collect|collecting|gather|extract|dump|harvest|grab|steal|exfiltrate|cat|send|sending|forward|upload|transmit|leak',
  ],
  pass: [
    'pass|passing|include|including|send|sending|put|append|attach|forward|submit|upload|post|transmit|insert|embed|exfiltrate|leak|encode|relay|exfiltration|supply|provide|share|report|email|curl|sidenote',
  ],
  place: [
    'as|in|into|to|via|through|with|using ~3 parameter|argument|field|sidenote|note|notes|context|url|webhook|http|https|endpoint|attacker*|metadata|feedback|base64|me|us|comment|response|reply|debug|param|arg|external',
  ],
};

const INDEX = indexPatterns<Part>(
  Object.entries(PARTS).flatMap(([part, patterns]) =>
    patterns.map((pattern) => ({ pattern: wordPattern(pattern), value: part as Part })),
  ),
);

/** Maximum number of words from the first to the last part of a match. */
const SPAN = 40;
/** Maximum number of words between the verb and the file. */
const NEAR = 12;

/**
 * Finds instructions to read a private file, or to collect secrets, and to pass them on: a verb that reads, a file or secret, a verb that passes on and,
 * for secrets, a place, near each other. A description that only names one of them, such as `requires an API key`, is not found.
 */
export function findCredentialReads(
  text: Words,
): { readonly first: number; readonly last: number } | undefined {
  const at: Record<Part, number> = {
    file: -Infinity,
    secret: -Infinity,
    read: -Infinity,
    collect: -Infinity,
    pass: -Infinity,
    place: -Infinity,
  };
  /** Positions of the verbs before the latest file and the latest secret. */
  let fileVerb = -Infinity;
  let secretVerb = -Infinity;
  for (const [position, word] of text.words.entries()) {
    const entries = INDEX.get(word);
    if (!entries) continue;
    for (const { pattern, value } of entries) {
      if (matchAt(text, position, pattern) === undefined) continue;
      at[value] = position;
      if (value === 'file') fileVerb = position - at.read <= NEAR ? at.read : -Infinity;
      if (value === 'secret') secretVerb = position - at.collect <= NEAR ? at.collect : -Infinity;
    }
    const ofFile = Math.min(fileVerb, at.file, at.pass);
    const ofSecret = at.place >= at.pass ? Math.min(secretVerb, at.secret, at.pass, at.place) : -Infinity;
    const first = Math.max(ofFile, ofSecret);
    if (position - first <= SPAN) return { first, last: position };
  }
  return undefined;
}
