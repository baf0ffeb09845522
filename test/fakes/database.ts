import { startDynamoDb } from '../../offline/emulators.ts'
import { openClient } from '../adapters/dynamodb/opened.ts'

/** An emulator of DynamoDB and a client of it; `stop` ends both. */
export const startDatabase = async () => {
  const emulator = await startDynamoDb()
  const client = openClient(emulator.endpoint)
  const stop = async () => {
    client.destroy()
    await emulator.stop()
  }
  return { client, stop }
}
