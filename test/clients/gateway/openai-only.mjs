// Features of providers with OpenAI's API only: audio, files, batches, stored responses and realtime.
import OpenAI from 'openai';
import { OpenAIRealtimeWebSocket } from 'openai/realtime/websocket';

const HELLO = [{ role: 'user', content: 'Hello' }];

/** Runs the checks for these routes. */
export async function checkOpenAiOnly({ url, key, client, expect, only }) {
  await only('transcriptions', async (wire) => {
    const file = new File([new Uint8Array(10_000)], 'a.mp3', { type: 'audio/mpeg' });
    const heard = 'Hello there, how are you?';
    const request = { file, model: `${wire}:good` };
    expect((await client.audio.transcriptions.create(request)).text, heard);
    let text = '';
    for await (const event of await client.audio.transcriptions.create({ ...request, stream: true }))
      if (event.type === 'transcript.text.delta') text += event.delta;
    expect(text, heard);
  });
  await only('speech', async (wire) => {
    const answer = await client.audio.speech.create({
      model: `${wire}:good`,
      voice: 'alloy',
      input: 'Hello',
    });
    expect((await answer.arrayBuffer()).byteLength, 5000);
  });
  await only('files and batches', async (wire) => {
    const body = { model: `${wire}:good`, messages: HELLO };
    const line = JSON.stringify({ custom_id: '1', method: 'POST', url: '/v1/chat/completions', body });
    const file = await client.files.create({ file: new File([line], 'b.jsonl'), purpose: 'batch' });
    expect((await (await client.files.content(file.id)).text()).length > 0, true);
    const batch = await client.batches.create({
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    });
    expect((await client.batches.retrieve(batch.id)).status, 'validating');
    const ids = [];
    for await (const { id } of client.batches.list()) ids.push(id);
    expect(ids.includes(batch.id), true);
    expect((await client.batches.cancel(batch.id)).status, 'cancelling');
  });
  await only('responses in the background', async (wire) => {
    const { id, status } = await client.responses.create({
      model: `${wire}:good`,
      input: 'Hello',
      background: true,
    });
    expect([status, (await client.responses.retrieve(id)).id], ['queued', id]);
    expect((await client.responses.cancel(id)).status, 'cancelled');
    await client.responses.delete(id);
  });
  await only('realtime', async (wire) => {
    // As in a browser, with the key in the WebSocket subprotocol.
    const browser = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, dangerouslyAllowBrowser: true });
    const session = new OpenAIRealtimeWebSocket(
      {
        model: `${wire}:good`,
        dangerouslyAllowBrowser: true,
        onURL: (address) => (address.protocol = 'ws:'),
      },
      browser,
    );
    let text = '';
    await new Promise((resolve, reject) => {
      session.on('error', reject);
      session.on('session.created', () => session.send({ type: 'response.create' }));
      session.on('response.output_text.delta', ({ delta }) => (text += delta));
      session.on('response.done', resolve);
    });
    session.close();
    expect(text, 'Hello there');
  });
}
