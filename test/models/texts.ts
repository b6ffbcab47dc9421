/** The test inputs: short texts, many scripts, characters that tokenizers change, and texts longer than any model's maximum. */
const PROSE: readonly string[] = [
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

/** Chemical reactions in SMILES. */
const REACTIONS: readonly string[] = [
  'CCO',
  'CC(=O)O.OCC>>CC(=O)OCC.O',
  'Clc1ccccc1.N>>Nc1ccccc1.Cl',
  'C[C@H](N)C(=O)O.[Na+].[OH-]>>C[C@H](N)C(=O)[O-].[Na+].O',
  'BrCCBr.CC(C)(C)OC(=O)N1CCNCC1>>CC(C)(C)OC(=O)N1CCN(CCBr)CC1',
  `${'C'.repeat(700)}>>O`,
];

/** Variable regions of antibodies, one letter per amino acid. */
const ANTIBODIES: readonly string[] = [
  'EVQLV',
  'QVQLQQSGAELARPGASVKMSCKASGYTFTRYTMHWVKQRPGQGLEWIGYINPSRGYTNYNQKFKDKATLTTDKSSSTAYMQLSSLTSEDSAVYYCARYYDDHYCLDYWGQGTTLTVSS',
  'EVQLVESGGGLVQPGGSLRLSCAASGFNIKDTYIHWVRQAPGKGLEWVARIYPTNGYTRYADSVKGRFTISADTSKNTAYLQMNSLRAEDTAVYYCSRWGGDGFYAMDYWGQGTLVTVSS',
  'DIQMTQSPSSLSASVGDRVTITCRASQDVNTAVAWYQQKPGKAPKLLIYSASFLYSGVPSRFSGSRSGTDFTLTISSLQPEDFATYYCQQHYTTPPTFGQGTKVEIK',
  'EVQLV'.repeat(60),
];

export const TEXTS = { prose: PROSE, reactions: REACTIONS, antibodies: ANTIBODIES } as const;
