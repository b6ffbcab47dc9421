/** What a model is asked: short, in many scripts, with characters that tokenizers change, and longer than any model reads. */
export const TEXTS: readonly string[] = [
  'Hello',
  'The quick brown fox jumps over the lazy dog.',
  'My name is Anna Schmidt and I live at 12 Baker Street in London.',
  'Übergrößenträger überprüfen naïve façades.',
  '今天天气很好，我们去公园散步。',
  'Сегодня хорошая погода. Καλημέρα κόσμε!',
  'مرحبا بالعالم שלום עולם',
  'नमस्ते दुनिया สวัสดีชาวโลก',
  'emoji 👩‍👩‍👧 🇩🇪 and ☕ together',
  'tabs\tand\nlines   and spaces',
  '<b>[MASK]</b> &amp; [SEP] punctuation!?… „quotes“',
  `${'A long text has more words than a model can read. '.repeat(150)}End.`,
];
