/**
 * Names by which the APIs of OpenAI, Anthropic, Gemini and others refer to what a provider stores, without case, `_`, `-` and the
 * brackets of form fields.
 */
export const REFERENCE_NAMES: ReadonlySet<string> = new Set([
  // Files: messages, tools, images, batches, fine-tuning; Gemini's have an address.
  'fileid',
  'fileids',
  'files',
  'file',
  'fileuri',
  'inputfile',
  'inputfileid',
  'inputfileids',
  'outputfileid',
  'errorfileid',
  'trainingfile',
  'validationfile',
  'documentid',
  'documentids',
  'imageid',
  'imageids',
  'maskid',
  'mediaid',
  'uploadid',
  // Conversations, and what is in them.
  'previousresponseid',
  'responseid',
  'conversation',
  'conversationid',
  'threadid',
  'messageid',
  'messageids',
  'itemid',
  'itemids',
  'previousitemid',
  'runid',
  'assistantid',
  // What tools work in.
  'container',
  'containerid',
  'containerids',
  'vectorstoreid',
  'vectorstoreids',
  'vectorstore',
  'libraryid',
  'libraryids',
  'collectionid',
  'collectionids',
  'skillid',
  // Work and caches.
  'batchid',
  'inputbatchid',
  'cachedcontent',
  'cachedcontents',
]);

/** Names that end like ids but are those of calls, users and requests. They are in every request of some agents. */
export const OTHER_IDS: ReadonlySet<string> = new Set([
  'toolcallid',
  'callid',
  'tooluseid',
  'userid',
  'enduserid',
  'customid',
  'eventid',
  'requestid',
  'sessionid',
  'modelid',
]);
