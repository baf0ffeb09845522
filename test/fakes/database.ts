import { startDynamoDb } from '../../offline/emulators.ts'
import { openClient } from '../adapters/dynamodb/opened.ts'
import { forAllTests } from './lifetimes.ts'

/** An emulator of DynamoDB, the better one unless told otherwise, and a client of it; `stop` ends both. */
export const startDatabase = async (start = startDynamoDb) => {
  const emulator = await start()
  const client = openClient(emulator.endpoint)
  const stop = async () => {
    client.destroy()
    await emulator.stop()
  }
  return { client, endpoint: emulator.endpoint, stop }
}

/** One for all tests of a file, or of a `describe`. */
export const databaseForTests = (start = startDynamoDb) =>
  forAllTests(
    () => startDatabase(start),
    ({ stop }) => stop(),
  )
