/**
 * Letters of other scripts that fonts draw (nearly) like a Latin letter, each followed by that letter. Full-width and mathematical letters are not
 * listed, because compatibility normalization maps them.
 * @see https://www.unicode.org/reports/tr39/#Confusable_Detection
 */
const PAIRS =
  'аa вb сc ԁd еe һh іi јj кk ӏl мm нh оo рp ԛq гr ѕs тt ѵv ԝw хx уy зe ' +
  'αa βb εe ιi κk νv οo ρp τt υu χx γy ωw ηn σo ' +
  'ɑa ƅb ɡg ɩi ıi ɪi ʟl սu օo ցg հh ոn ԼL ƿp ʀr ꜱs ᴀa ᴄc ᴅd ᴇe ᴊj ᴋk ᴍm ᴏo ᴘp ᴛt ᴜu ᴠv ᴡw ᴢz ' +
  'ꓐb ꓑp ꓓd ꓔt ꓖg ꓗk ꓙj ꓚc ꓜz ꓝf ꓟm ꓠn ꓡl ꓢs ꓣr ꓦv ꓧh ꓪw ꓫx ꓬy ꓮa ꓰe ꓲi ꓳo ꓴu';

/** Latin letters by the lower-case letter of another script that looks like them. */
export const CONFUSABLES: ReadonlyMap<string, string> = new Map(
  PAIRS.split(' ')
    .map((pair) => Array.from(pair.toLowerCase()))
    .flatMap(([letter = '', latin]) => (latin === undefined ? [] : [[letter, latin] as const])),
);
