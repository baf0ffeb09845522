import { startDynamoDb } from '../../offline/emulators.ts'
import { openClient } from '../adapters/dynamodb/opened.ts'

/** An emulator of DynamoDB, the better one unless told otherwise, and a client of it; `stop` ends both. */
export const startDatabase = async (start = startDynamoDb) => {
  const emulator = await start()
  const client = openClient(emulator.endpoint)
  const stop = async () => {
    client.destroy()
    await emulator.stop()
  }
  return { client, stop }
}
