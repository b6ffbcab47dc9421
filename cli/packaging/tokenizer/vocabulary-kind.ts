import type { Family } from './family.ts';

/** Vocabulary files by kind, in the order in which they are searched. */
export const VOCABULARY_FILES: Readonly<Record<Family['kind'], readonly string[]>> = {
  wordpiece: ['vocab.txt'],
  'byte-level': ['vocab.json'],
  sentencepiece: [
    'sentencepiece.bpe.model',
    'spiece.model',
    'spm.model',
    'sentencepiece.model',
    'tokenizer.model',
  ],
};

/** What a folder can contain instead of tokenizer.json, for messages. */
export const ACCEPTED_TOKENIZERS = `tokenizer.json, vocab.txt, vocab.json with merges.txt, or a sentencepiece model (${VOCABULARY_FILES.sentencepiece.join(', ')})`;

/** Kind of a vocabulary by its file name; undefined for a tokenizer.json. */
export function vocabularyKind(name: string): Family['kind'] | undefined {
  if (name.endsWith('.model')) return 'sentencepiece';
  if (name.endsWith('.txt')) return 'wordpiece';
  const file = name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1);
  return file.endsWith('.json') && file.includes('vocab') ? 'byte-level' : undefined;
}
